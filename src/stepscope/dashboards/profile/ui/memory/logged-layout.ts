// How a logged series of memory is drawn: in which unit, from where to where, and what stands beside it.
import type { Curve } from '$web/charts/types';
import type { Guides } from '$web/charts/guides';
import type { SeriesPart } from '$web/api/series';
import { bytes } from '$web/widgets/format';
import type { LoggedMemoryRow } from '$api';

const UNITS: readonly (readonly [name: string, size: number])[] = [
  ['TiB', 1024 ** 4],
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
];
/** The size of the memory is drawn when it is at most this many times what the chart is high. */
const NEAR = 2;
/** A chart is at least this share of the peak high, so that noise does not look like growth. */
const LEAST_HEIGHT = 0.1;

export interface DrawnUnit {
  name: string;
  size: number;
}

/** The largest unit of which the peak is at least one. */
export function unitFor(peak: number): DrawnUnit {
  const [name, size] = UNITS.find(([, least]) => peak >= least) ?? ['B', 1];
  return { name, size };
}

/** Bytes of each unit that a series may be logged in. */
export const LOGGED_UNITS: Readonly<Record<string, number>> = {
  bytes: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

const extentOf = (values: Float64Array): [number, number] | null => {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : null;
};

/** The server's points, in the unit that is drawn. */
export function curveOf(part: SeriesPart, logged: LoggedMemoryRow, unit: DrawnUnit, colour: string): Curve {
  const factor = (LOGGED_UNITS[logged.unit] ?? 1) / unit.size;
  const y = part.y.map((value) => value * factor);
  const extent = extentOf(y);
  return {
    key: logged.tag,
    label: logged.name,
    colour,
    dash: 'solid',
    x: part.x,
    y,
    step: part.step,
    wall: part.wall,
    segment: part.segment,
    marks: part.marks ?? undefined,
    yExtent: extent,
    yInner: extent,
    xExtent: part.x_extent,
    splitSegments: true,
  };
}

/** What the y axis shows, in bytes: the points, from 0 when they come near it, and the size of the memory when that is near. */
export function bytesShown(low: number, peak: number, capacity: number | null): [number, number] {
  if (!(peak > 0)) return [0, 1];
  const height = Math.max(peak - low, LEAST_HEIGHT * peak);
  let from = low < peak / 2 ? 0 : Math.max(0, (peak + low) / 2 - height);
  let to = (peak + low) / 2 + height;
  if (from === 0) to = 1.1 * peak;
  if (capacity !== null && capacity >= peak && capacity <= from + NEAR * (to - from))
    to = capacity + 0.05 * (capacity - from);
  // As far below what is drawn as above it, with room for a name.
  from = Math.max(0, from);
  return [from, to];
}

/** The peak, the size of the memory, the line of the slope, and restarts; x is the step, or the time while steps stay the same. */
export function guidesOf(logged: LoggedMemoryRow, unit: DrawnUnit): Guides {
  const overTime = isOverTime(logged);
  const x = (at: { step: number; time: number }): number => (overTime ? at.time : at.step);
  const { trend, capacity_bytes: capacity } = logged;
  return {
    levels: capacity === null ? [] : [{ y: capacity / unit.size, label: `capacity ${bytes(capacity)}`, tone: 'red' }],
    lines:
      trend === null || logged.verdict === 'cannot_tell'
        ? []
        : [
            {
              from: [x(trend.first), trend.first.bytes / unit.size],
              to: [x(trend.last), trend.last.bytes / unit.size],
              tone: logged.verdict === 'grows' ? 'amber' : 'quiet',
            },
          ],
    moments: logged.restarted.map((at) => ({ x: x(at), label: 'restart' })),
    points: [
      {
        x: x({ step: logged.peak_step, time: logged.peak_time }),
        y: logged.peak_bytes / unit.size,
        label: `peak ${bytes(logged.peak_bytes)}`,
      },
    ],
  };
}

/** A series whose steps stay the same is drawn over time. */
export const isOverTime = ({ trend }: LoggedMemoryRow): boolean => trend?.over === 'time';
