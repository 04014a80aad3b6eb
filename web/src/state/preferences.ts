// Remembers, per browser, the choices that outlive one address: theme, sizes and how charts are drawn.
import type { View } from './view';

export type Theme = 'system' | 'light' | 'dark';

/** The parts of the view that a new visit starts with. */
const KEPT = [
  'tree',
  'split',
  'x',
  'ignoreOutliers',
  'smoothing',
  'segments',
  'tooltip',
  'tooltipAll',
  'tables',
  'band',
] as const;
export type KeptView = Pick<View, (typeof KEPT)[number]>;

export interface Preferences {
  theme: Theme;
  listWidth: number;
  listCollapsed: boolean;
  /** Offers that the user has answered with "No". */
  dismissed: string[];
  view: Partial<KeptView>;
}

const PLACE = 'stepscope.preferences';
export const LIST_WIDTH = { least: 200, start: 300, most: 720 };

export function defaultPreferences(): Preferences {
  return { theme: 'system', listWidth: LIST_WIDTH.start, listCollapsed: false, dismissed: [], view: {} };
}

export function keptOf(view: View): KeptView {
  return Object.fromEntries(KEPT.map((key) => [key, view[key]])) as unknown as KeptView;
}

/** What the user has changed since: a link that is opened shows its own settings, and changes none of the reader's. */
export function changedSince(before: KeptView, now: KeptView): Partial<KeptView> {
  const changed = KEPT.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]));
  return Object.fromEntries(changed.map((key) => [key, now[key]])) as Partial<KeptView>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Storage may hold anything, or be refused: what does not fit is left at its default. */
export function loadPreferences(storage: Pick<Storage, 'getItem'>): Preferences {
  const plain = defaultPreferences();
  let stored: unknown;
  try {
    stored = JSON.parse(storage.getItem(PLACE) ?? 'null');
  } catch {
    return plain;
  }
  if (!isRecord(stored)) return plain;
  const { theme, listWidth, listCollapsed, dismissed, view } = stored;
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : plain.theme,
    listWidth:
      typeof listWidth === 'number' && listWidth >= LIST_WIDTH.least && listWidth <= LIST_WIDTH.most
        ? listWidth
        : plain.listWidth,
    listCollapsed: listCollapsed === true,
    dismissed: Array.isArray(dismissed) ? dismissed.filter((one) => typeof one === 'string').slice(0, 200) : [],
    view: isRecord(view) ? (view as Partial<KeptView>) : {},
  };
}

export function savePreferences(storage: Pick<Storage, 'setItem'>, preferences: Preferences): void {
  try {
    storage.setItem(PLACE, JSON.stringify(preferences));
  } catch {
    // A full or forbidden storage costs only that the next visit starts with the defaults.
  }
}
