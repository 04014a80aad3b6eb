// Decides which runs are drawn, and changes that choice.
import type { Run } from '../api/types';
import type { Selection } from '../state/view';

/** Up to this many runs are all drawn on the first visit; of more, those that are live and the newest. */
export const ALL_UP_TO = 30;
export const NEWEST = 20;

type Unit = readonly Run[];

/** What is shown as long as the user has chosen nothing. */
export interface AutoChoice {
  shown: readonly Unit[];
  /** How many have data for the tab but are older than those shown. */
  older: number;
  /** How many have nothing that the tab could draw. */
  without: number;
}

/**
 * `units` are newest first; what the tab cannot draw gives way to what it can, and live ones come before all others. The newest
 * of each of the `kinds` is among the shown: many short evaluations do not hide the training that they evaluate.
 */
export function autoChoice(
  units: readonly Unit[],
  canDraw: (unit: Unit) => boolean,
  kinds: readonly ((unit: Unit) => boolean)[] = [],
): AutoChoice {
  if (units.length <= ALL_UP_TO) return { shown: units, older: 0, without: 0 };
  const some = units.some(canDraw);
  const drawn = some ? units.filter(canDraw) : units;
  const without = units.length - drawn.length;
  if (drawn.length <= ALL_UP_TO) return { shown: drawn, older: 0, without };
  const isLive = (unit: Unit): boolean => unit.some((run) => run.status === 'live');
  const ordered = [...drawn.filter(isLive), ...drawn.filter((unit) => !isLive(unit))];
  const firsts = kinds.map((isOf) => ordered.find(isOf)).filter((unit) => unit !== undefined);
  const chosen = new Set([...new Set([...drawn.filter(isLive), ...firsts, ...ordered])].slice(0, NEWEST));
  const shown = ordered.filter((unit) => chosen.has(unit));
  return { shown, older: drawn.length - shown.length, without };
}

/** `units` are rows in order of age, newest first: an experiment is shown or hidden as a whole. */
export function visibleRuns(
  selection: Selection,
  units: readonly Unit[],
  canDraw: (unit: Unit) => boolean = () => true,
  kinds: readonly ((unit: Unit) => boolean)[] = [],
): Set<string> {
  const all = units.flat();
  switch (selection.mode) {
    case 'auto':
      return new Set(
        autoChoice(units, canDraw, kinds)
          .shown.flat()
          .map((run) => run.id),
      );
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
