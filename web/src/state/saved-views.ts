// Remembers, per browser, views under names that the user gave; a view is its address, so any of them can be shared as a link.

const PLACE = 'stepscope.views';
/** The oldest are forgotten. */
const MOST = 500;
export const LONGEST_NAME = 80;

export interface SavedView {
  name: string;
  /** The log folders it was saved on: run ids mean nothing elsewhere. */
  folder: string;
  /** The part of the address after '#'. */
  address: string;
}

function isSaved(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { name, folder, address } = value as Partial<Record<keyof SavedView, unknown>>;
  return typeof name === 'string' && typeof folder === 'string' && typeof address === 'string';
}

/** Storage may hold anything, or be refused. */
export function loadViews(storage: Pick<Storage, 'getItem'>): SavedView[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(PLACE) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isSaved) : [];
  } catch {
    return [];
  }
}

/** Whether they were kept: a full or forbidden storage keeps nothing. */
export function keepViews(storage: Pick<Storage, 'setItem'>, views: readonly SavedView[]): boolean {
  try {
    storage.setItem(PLACE, JSON.stringify(views.slice(-MOST)));
    return true;
  } catch {
    return false;
  }
}

/** A name stands for one view of a folder: saving again replaces it. */
export function withView(views: readonly SavedView[], added: SavedView): SavedView[] {
  return [...withoutView(views, added), added];
}

export function withoutView(views: readonly SavedView[], { name, folder }: Omit<SavedView, 'address'>): SavedView[] {
  return views.filter((one) => one.name !== name || one.folder !== folder);
}
