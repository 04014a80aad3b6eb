// Decides which runs are drawn, and changes that choice.
import type { Run } from '../api/types';
import type { Selection } from '../state/view';

/** Up to this many runs are all drawn on the first visit; of more, only the newest. */
export const ALL_UP_TO = 30;
export const NEWEST = 20;

/** `units` are rows in order of age, newest first: an experiment is shown or hidden as a whole. */
export function visibleRuns(selection: Selection, units: readonly (readonly Run[])[]): Set<string> {
  const all = units.flat();
  switch (selection.mode) {
    case 'auto':
      return new Set((units.length <= ALL_UP_TO ? units : units.slice(0, NEWEST)).flat().map((run) => run.id));
    case 'except': {
      const hidden = new Set(selection.runs);
      return new Set(all.filter((run) => !hidden.has(run.id)).map((run) => run.id));
    }
    case 'only': {
      const shown = new Set(selection.runs);
      return new Set(all.filter((run) => shown.has(run.id)).map((run) => run.id));
    }
  }
}

/** The shortest way to say "exactly these": new runs appear by themselves unless most runs are off. */
export function selectionOf(visible: ReadonlySet<string>, all: readonly string[]): Selection {
  const hidden = all.filter((id) => !visible.has(id));
  const shown = all.filter((id) => visible.has(id));
  return shown.length < hidden.length ? { mode: 'only', runs: shown } : { mode: 'except', runs: hidden };
}

export function toggled(visible: ReadonlySet<string>, ids: readonly string[]): Set<string> {
  const next = new Set(visible);
  const anyShown = ids.some((id) => visible.has(id));
  for (const id of ids) {
    if (anyShown) next.delete(id);
    else next.add(id);
  }
  return next;
}
