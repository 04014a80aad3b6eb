// Marks of runs on the step ruler: those of several runs at one step are one, and as many are drawn as there is room for.
import type { RunMark } from '$api';

export type MarkKind = RunMark['kind'] | 'restart';

export interface RulerMark {
  kind: MarkKind;
  step: number;
  /** For the hover and for screen readers. */
  words: string;
}

/** In the order of the legend. */
export const MARK_WORDS: Record<MarkKind, string> = {
  restart: 'restart',
  epoch: 'epoch',
  checkpoint: 'checkpoint',
  image: 'image',
  text: 'text',
  profile: 'profile',
};

const MOST_LABELS = 3;

/** Marks of all runs and the restarts, by step, each kind once at a step. */
export function gatherMarks(
  marks: readonly RunMark[],
  restarts: readonly number[],
  nameOf: (run: string) => string,
): RulerMark[] {
  const found = new Map<string, { kind: MarkKind; step: number; labels: Set<string>; about: boolean }>();
  const add = (kind: MarkKind, step: number, label: string, about: boolean): void => {
    const key = `${kind} ${step}`;
    const known = found.get(key) ?? { kind, step, labels: new Set<string>(), about };
    if (label !== '') known.labels.add(label);
    found.set(key, known);
  };
  for (const step of restarts) add('restart', step, '', false);
  for (const { kind, step, exact, label, run } of marks) {
    add(kind, step, [label, nameOf(run)].filter((part) => part !== '').join(', '), !exact);
  }
  return [...found.values()]
    .sort((a, b) => a.step - b.step || a.kind.localeCompare(b.kind))
    .map(({ kind, step, labels, about }) => {
      const some = [...labels].slice(0, MOST_LABELS).join('; ');
      const more = labels.size > MOST_LABELS ? ` and ${labels.size - MOST_LABELS} more` : '';
      const name = MARK_WORDS[kind][0]?.toUpperCase() + MARK_WORDS[kind].slice(1);
      return {
        kind,
        step,
        words: `${name} ${about ? 'about' : 'at'} step ${step}${some === '' ? '' : `: ${some}${more}`}`,
      };
    });
}

/** Marks of one kind that are closer than some pixels are one. */
export function spacedMarks(marks: readonly RulerMark[], place: (step: number) => number, gap: number): RulerMark[] {
  const last = new Map<MarkKind, number>();
  return marks.filter(({ kind, step }) => {
    const at = place(step);
    if (Number.isNaN(at) || at - (last.get(kind) ?? -Infinity) < gap) return false;
    last.set(kind, at);
    return true;
  });
}

/** The mark within reach of a place on the ruler that is nearest to it. */
export function markAt(
  marks: readonly RulerMark[],
  place: (step: number) => number,
  at: number,
  reach: number,
): RulerMark | null {
  let best: RulerMark | null = null;
  for (const mark of marks) {
    const away = Math.abs(place(mark.step) - at);
    if (away <= reach && (best === null || away < Math.abs(place(best.step) - at))) best = mark;
  }
  return best;
}

/** The next mark after a step, or the one before it; null at the end. */
export function nextMark(marks: readonly RulerMark[], from: number | null, forward: boolean): RulerMark | null {
  const start = from ?? (forward ? -Infinity : Infinity);
  return (forward ? marks.find(({ step }) => step > start) : marks.findLast(({ step }) => step < start)) ?? null;
}
