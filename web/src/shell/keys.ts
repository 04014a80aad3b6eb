// The keyboard: one list of keys, used by the page and shown by its help.

export interface Key {
  /** As it is shown; Ctrl stands for Command on a Mac. */
  keys: string;
  does: string;
}

/** Keys that work anywhere but while typing; `id` names the command. */
export const COMMANDS: readonly (Key & { id: string; match: (event: KeyboardEvent) => boolean })[] = [
  { id: 'palette', keys: 'Ctrl K', does: 'Find a tag, a run or a command', match: (e) => control(e) && e.key === 'k' },
  { id: 'list', keys: 'Ctrl .', does: 'Show or hide the run list', match: (e) => control(e) && e.key === '.' },
  { id: 'search', keys: '/', does: 'Find runs', match: (e) => plain(e) && e.key === '/' },
  { id: 'filter', keys: 'f', does: 'Filter tags', match: (e) => plain(e) && e.key === 'f' },
  { id: 'help', keys: '?', does: 'Show keyboard shortcuts', match: (e) => plain(e) && e.key === '?' },
  { id: 'theme', keys: 't', does: 'Switch theme: light, dark or system', match: (e) => plain(e) && e.key === 't' },
  { id: 'pause', keys: 'p', does: 'Pause or resume live updates', match: (e) => plain(e) && e.key === 'p' },
  { id: 'reload', keys: 'r', does: 'Reload the log folder', match: (e) => plain(e) && e.key === 'r' },
  { id: 'rougher', keys: '[', does: 'Smooth less', match: (e) => plain(e) && e.key === '[' },
  { id: 'smoother', keys: ']', does: 'Smooth more', match: (e) => plain(e) && e.key === ']' },
  { id: 'log', keys: 'l', does: 'Toggle logarithmic y axis', match: (e) => plain(e) && e.key === 'l' },
  { id: 'outliers', keys: 'o', does: 'Ignore or show outliers', match: (e) => plain(e) && e.key === 'o' },
  { id: 'zoom', keys: '0', does: 'Reset zoom', match: (e) => plain(e) && e.key === '0' },
  {
    id: 'enlarge',
    keys: 'e',
    does: 'Full screen: the card under the pointer, or back',
    match: (e) => plain(e) && e.key === 'e',
  },
  { id: 'share', keys: 's', does: 'Copy a link to this view', match: (e) => plain(e) && e.key === 's' },
  {
    id: 'escape',
    keys: 'Esc',
    does: 'Close the inspector and unpin the step',
    match: (e) => plain(e) && e.key === 'Escape',
  },
];

/** Keys inside the run list and the charts, for the help only. */
export const LOCAL_KEYS: readonly Key[] = [
  { keys: '↑ ↓', does: 'In the run list: move; ↓ in its search goes into the list' },
  { keys: 'Space', does: 'In the run list: show or hide the run; with Alt, show only this run' },
  { keys: 'Enter', does: 'In the run list: open run details' },
  { keys: 'm', does: 'In the run list: open the actions menu' },
  { keys: 'x', does: 'In the run list: pick the run; with Shift, all up to it; Ctrl+A picks all, Escape none' },
  { keys: 'Drag', does: 'In a chart: zoom; with Alt, select a range; double-click resets' },
  { keys: 'Click', does: 'In a chart: pin the step' },
  { keys: 'Shift', does: 'In a chart: show wall time in the tooltip' },
  { keys: '← → ↑ ↓', does: 'In a histogram: move over steps and values; Enter pins, 0 resets' },
  {
    keys: 'w a s d',
    does: 'In the trace: zoom in, move left, zoom out, move right; 0 shows everything, f the chosen span',
  },
  { keys: '← → ↑ ↓', does: 'In the trace: choose the span before, after, around or inside' },
  { keys: ', .', does: 'In the trace: previous or next span found; / searches' },
  { keys: 'q e', does: 'In the trace: previous or next step' },
  { keys: 'Shift G g', does: 'In the trace: previous or next idle gap' },
  { keys: 'l', does: 'In the trace: longest span with the name of the chosen one; with Shift, longest on its track' },
  { keys: 'm', does: 'In the trace: bookmark what is shown' },
  { keys: 'Alt ↑ ↓', does: 'On the name of a track: move the track' },
  { keys: 'Drag', does: 'In the trace: move; with Shift, select a time range; on the ruler, zoom' },
  { keys: 'Ctrl Wheel', does: 'In the trace: zoom; with Shift, move' },
  { keys: '← →', does: 'In images: previous or next step; Home: first step, End: newest step' },
  { keys: '↑ ↓', does: 'In an open image: previous or next sample; PageUp and PageDown: previous or next run' },
];

function control(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && !event.altKey;
}

function plain(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey;
}

/** A letter typed into a field is text, not a command. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['range', 'checkbox', 'radio', 'button'].includes(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

export function commandOf(event: KeyboardEvent): string | null {
  const command = COMMANDS.find((one) => one.match(event));
  if (command === undefined) return null;
  const always = command.id === 'palette' || command.id === 'list';
  return always || !isTyping(event.target) ? command.id : null;
}
