// Paints the rows of a replay: work in the colours of its groups where it would run, dashed boxes where vanished work was, and steps.
import type { Pen } from '$web/draw/layer';
import type { Scale } from '$web/draw/scale';
import { timeColours, type Ink, type Theme } from '$web/style/theme';
import type { Replay, ReplayItem, ReplayStep } from '$api';
import { groupOfPart } from '../groups';
import type { Tip } from './overlay';
import { fit, LABEL_FONT } from './paint';
import { LINE } from './track-rows';
import { durationText } from './window';

/** Above the rows: steps of the replay, with what they save. */
export const STEP_ROW = 20;
const LEAST_LABEL = 26;
/** Of the recorded duration: less is no change. */
const CHANGED = 0.005;
const NEAR = 2;

export interface ReplayStage {
  x: Scale;
  width: number;
  theme: Theme;
  ink: Ink;
}

export const heightOfReplay = ({ tracks }: Pick<Replay, 'tracks'>): number => STEP_ROW + tracks.length * LINE + 4;

const lengthOf = ({ start_us: start, end_us: end }: { start_us: number; end_us: number }): number => end - start;
const recordedLength = ({ recorded_start_us: start, recorded_end_us: end }: ReplayItem | ReplayStep): number =>
  end - start;
const topOf = ({ track }: ReplayItem): number => STEP_ROW + track * LINE;

/** Whether an item takes another time than recorded; of several in one column nobody can tell. */
export const isChanged = (item: ReplayItem): boolean =>
  item.count === 1 && Math.abs(lengthOf(item) - recordedLength(item)) > CHANGED * recordedLength(item);

/** "−3 ms", or nothing where a step is as long as it was. */
export function savingText(step: ReplayStep): string {
  const saved = recordedLength(step) - lengthOf(step);
  if (Math.abs(saved) < CHANGED * recordedLength(step)) return '';
  return `${saved > 0 ? '\u2212' : '+'}${durationText(Math.abs(saved))}`;
}

export function paintReplay(pen: Pen, { items, steps }: Replay, stage: ReplayStage): void {
  pen.font = LABEL_FONT;
  pen.textBaseline = 'middle';
  pen.textAlign = 'left';
  paintSteps(pen, steps, stage);
  paintGhosts(pen, items, stage);
  for (const item of items) if (!item.gone) paintItem(pen, item, stage);
}

function paintSteps(pen: Pen, steps: readonly ReplayStep[], { x, width, ink }: ReplayStage): void {
  for (const step of steps) {
    const [a, b] = [Math.max(0, x.map(step.start_us)), Math.min(width, x.map(step.end_us))];
    if (b <= a) continue;
    pen.fillStyle = ink.grid;
    pen.fillRect(a, 2, Math.max(1, b - a - 1), STEP_ROW - 5);
    const text = fit(`Step ${step.step}, ${durationText(lengthOf(step))} ${savingText(step)}`.trim(), b - a - 8);
    pen.fillStyle = ink.text;
    if (text !== '') pen.fillText(text, a + 4, STEP_ROW / 2);
  }
}

function paintGhosts(pen: Pen, items: readonly ReplayItem[], { x, width, ink }: ReplayStage): void {
  pen.strokeStyle = ink.red;
  pen.lineWidth = 1;
  pen.setLineDash([3, 3]);
  pen.beginPath();
  for (const item of items) {
    if (!item.gone) continue;
    const [a, b] = [Math.max(-2, x.map(item.recorded_start_us)), Math.min(width + 2, x.map(item.recorded_end_us))];
    if (b - a >= 1) pen.rect(a + 0.5, topOf(item) + 1.5, Math.max(1, b - a - 1), LINE - 5);
  }
  pen.stroke();
  pen.setLineDash([]);
}

function paintItem(pen: Pen, item: ReplayItem, { x, width, theme, ink }: ReplayStage): void {
  const [a, b] = [Math.max(0, x.map(item.start_us)), Math.min(width, x.map(item.end_us))];
  if (b < 0 || a > width) return;
  const y = topOf(item);
  pen.fillStyle = timeColours[theme][groupOfPart(item.part)];
  pen.fillRect(a, y, Math.max(1, b - a - 0.5), LINE - 1);
  pen.fillStyle = theme === 'light' ? '#ffffff' : '#14181f';
  if (b - a >= LEAST_LABEL) pen.fillText(fit(item.name, b - a - 8), a + 4, y + LINE / 2);
  pen.fillStyle = ink.text;
  if (isChanged(item)) pen.fillRect(a, y + LINE - 4, Math.max(1, b - a - 0.5), 3);
}

/** What is at a point: work that runs, or else the box of work that vanished. */
export function replayAt({ items }: Replay, left: number, y: number, { x }: ReplayStage): ReplayItem | null {
  const track = Math.floor((y - STEP_ROW) / LINE);
  const time = x.invert(left);
  const near = x.invert(left + NEAR) - time;
  const own = items.filter((item) => item.track === track);
  return (
    own.find((item) => !item.gone && item.start_us <= time && time < item.end_us) ??
    own.find((item) => !item.gone && item.start_us - near <= time && time < item.end_us + near) ??
    own.find((item) => item.gone && item.recorded_start_us <= time && time < item.recorded_end_us) ??
    null
  );
}

/** "4 ms, 6 ms recorded; 3 ms earlier" */
export function replayTip(item: ReplayItem): Tip {
  if (item.gone) return { name: item.name, text: 'Removed', soft: `${durationText(recordedLength(item))} recorded` };
  if (item.count > 1) return { name: item.name, soft: `and ${item.count - 1} more; zoom in to tell them apart` };
  const moved = item.start_us - item.recorded_start_us;
  const words = Math.abs(moved) < 0.01 ? '' : `${durationText(Math.abs(moved))} ${moved < 0 ? 'earlier' : 'later'}`;
  const recorded = isChanged(item) ? `${durationText(recordedLength(item))} recorded` : '';
  return {
    name: item.name,
    text: durationText(lengthOf(item)),
    soft: [recorded, words].filter((text) => text !== '').join(', '),
  };
}
