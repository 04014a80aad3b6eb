// What the page's commands do, for the keyboard and the palette alike.
import { flushSync } from 'svelte';
import { cardAtHand, toggleFullScreen } from '../cards/full-screen.svelte';
import { rounded } from '../draw/number';
import { addressOf, chooseTheme, preferences, view } from '../state/choices.svelte';
import { folder } from '../state/folder.svelte';
import { SMOOTHING } from '../state/view';
import { copyText } from '../widgets/clipboard';
import { panels } from './panels.svelte';
import { room } from './room.svelte';

const NEXT_THEME = { system: 'light', light: 'dark', dark: 'system' } as const;

function smooth(direction: 1 | -1): void {
  const { method, amount } = view.smoothing;
  const { max } = SMOOTHING[method];
  const step = method === 'ema' ? 0.1 : method === 'gaussian' ? 2 : 10;
  const next = Math.max(0, Math.min(max, amount + direction * step));
  view.smoothing.amount = rounded(next, 3);
}

function focus(id: string): void {
  const field = document.getElementById(id);
  if (field instanceof HTMLInputElement) {
    field.focus();
    field.select();
  }
}

export const ACTIONS: Record<string, () => void> = {
  palette: () => (panels.open = 'palette'),
  help: () => (panels.open = 'help'),
  health: () => (panels.open = 'health'),
  list: () => {
    if (room.narrow) room.listOpen = !room.listOpen;
    else preferences.listCollapsed = !preferences.listCollapsed;
  },
  search: () => {
    if (room.narrow) room.listOpen = true;
    else preferences.listCollapsed = false;
    // The list must be there before its field can take the focus, and that before the next key.
    flushSync();
    focus('run-search');
  },
  filter: () => focus(document.getElementById('row-filter') === null ? 'tag-filter' : 'row-filter'),
  theme: () => chooseTheme(NEXT_THEME[preferences.theme]),
  pause: () => folder.togglePause(),
  reload: () => void folder.reload(),
  rougher: () => smooth(-1),
  smoother: () => smooth(1),
  log: () => (view.logY = !view.logY),
  outliers: () => (view.ignoreOutliers = !view.ignoreOutliers),
  zoom: () => (view.zoom = null),
  enlarge: () => toggleFullScreen(cardAtHand()),
  share: () => void copyText(addressOf(plainCopy(view)), 'Copied a link to this view.'),
  escape: () => {
    if (view.inspected !== null) view.inspected = null;
    else view.pinned = null;
  },
};

/** A plain copy: the address writer must not see reactive objects that may change meanwhile. */
function plainCopy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
