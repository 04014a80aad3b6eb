// The layout that is being edited. It outlives its tab, so that a look at another one costs no work.
import type { Category } from '$api';

class LayoutDraft {
  /** Null when nothing is edited. */
  categories = $state<Category[] | null>(null);
}

export const layoutDraft = new LayoutDraft();
