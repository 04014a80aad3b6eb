// Where the columns of the step strip stand, how high the axis goes, and which outliers have room for words.
import type { StepRow } from '$api';
import { partLabel } from '../groups';
import { stepTime } from '../times';

export interface Column {
  /** Left edge and width in pixels. */
  x: number;
  width: number;
  /** The step drawn: of several that share the column, the longest. */
  step: StepRow;
  /** How many steps share the column, and the numbers of the first and the last of them. */
  steps: number;
  first: number;
  last: number;
  warmUp: boolean;
}

export interface Mark {
  x: number;
  text: string;
  step: StepRow;
}

const WIDEST = 120;
const NARROWEST = 2;
/** Beyond this many typical steps a step would flatten all others: its column is cut and says so. */
const CUT_FROM = 4;
const CUT_AT = 2.2;

/** Pixels from one step's column to the next; ranks and steps share it, so that one stands above the other. */
export function columnPitch(steps: number, width: number): number {
  return Math.min(WIDEST, width / Math.max(1, Math.min(steps, Math.floor(width / NARROWEST))));
}

export function layOutColumns(steps: readonly StepRow[], width: number): Column[] {
  const count = Math.max(1, Math.min(steps.length, Math.floor(width / NARROWEST)));
  const pitch = columnPitch(steps.length, width);
  const gap = pitch >= 6 ? 2 : pitch >= 4 ? 1 : 0;
  const columns: Column[] = [];
  for (let place = 0; place < count; place++) {
    const own = steps.slice(
      Math.floor((place * steps.length) / count),
      Math.floor(((place + 1) * steps.length) / count),
    );
    const longest = own.reduce<StepRow | undefined>(
      (best, one) => (best === undefined || one.ms > best.ms ? one : best),
      undefined,
    );
    if (longest !== undefined && own[0] !== undefined)
      columns.push({
        x: place * pitch,
        width: pitch - gap,
        step: longest,
        steps: own.length,
        first: own[0].step,
        last: own[own.length - 1]?.step ?? own[0].step,
        warmUp: own.every((one) => one.warm_up),
      });
  }
  return columns;
}

/** The top of the y axis, in milliseconds. */
export function axisTop(steps: readonly StepRow[], usual: number): number {
  const most = steps.reduce((top, { ms }) => Math.max(top, ms), 0);
  return (usual > 0 && most > CUT_FROM * usual ? CUT_AT * usual : most) * 1.04 || 1;
}

const signed = (ms: number): string => `${ms < 0 ? '\u2212' : '+'}${stepTime(Math.abs(ms))}`;

/** What the part grew by, which is not what the step did: others may have grown as well. */
const partText = (step: StepRow): string | null =>
  step.grew_ms === null ? null : `${signed(step.grew_ms)} ${partLabel(step.grew).toLowerCase()}`;

/** A few words for the strip: the part that grew most and by how much, else how far the step is from the typical step. */
export function outlierText(step: StepRow, usual: number): string {
  return `${step.step}: ${partText(step) ?? signed(step.ms - usual)}`;
}

/** How far the step is from the typical step, and the part that grew most. */
export function outlierWords(step: StepRow, usual: number): string {
  const part = partText(step);
  return `${signed(step.ms - usual)} total${part === null ? '' : `, ${part}`}`;
}

/** Words above outliers, the largest first; one that would touch another is left out. */
export function labelOutliers(
  columns: readonly Column[],
  usual: number,
  width: number,
  measure: (text: string) => number,
): Mark[] {
  const taken: { from: number; to: number }[] = [];
  const marks: Mark[] = [];
  const outliers = columns
    .filter(({ step }) => !step.typical)
    .sort((a, b) => Math.abs(b.step.ms - usual) - Math.abs(a.step.ms - usual));
  for (const { x, width: wide, step } of outliers) {
    const text = outlierText(step, usual);
    const room = measure(text);
    const left = Math.max(0, Math.min(width - room, x + wide / 2 - room / 2));
    if (taken.some(({ from, to }) => left < to + 8 && left + room > from - 8)) continue;
    taken.push({ from: left, to: left + room });
    marks.push({ x: left, text, step });
  }
  return marks;
}

/** The range of the steps between two columns, in either order, as the server reads it. */
export function rangeOf(one: Column, other: Column): string {
  return `${Math.min(one.first, other.first)}:${Math.max(one.last, other.last) + 1}`;
}
