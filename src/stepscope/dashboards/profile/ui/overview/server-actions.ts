// What the overview offers where a server is behind it. A saved file provides none of it, and its controls are not shown there.
import { getContext, setContext, type Snippet } from 'svelte';
import type { ProfileView } from '$web/state/view';
import type { Asked } from '../instances/asked';

export interface ServerActions {
  /** The Save menu. */
  save: Snippet;
  /** Lists spans beside the view. */
  showSpans: (asked: Asked) => void;
  /** Opens another part of the tab. */
  open: (choices: Partial<ProfileView>) => void;
  /** Limits the whole tab to a range of the profile; an empty one is all of it. */
  chooseRange: (range: string) => void;
  /** Opens the table of span categories. */
  showCategories: () => void;
}

const KEY = Symbol('server actions');

export const provideServerActions = (actions: ServerActions): ServerActions => setContext(KEY, actions);

/** Undefined in a saved file. */
export const serverActions = (): ServerActions | undefined => getContext<ServerActions | undefined>(KEY);
