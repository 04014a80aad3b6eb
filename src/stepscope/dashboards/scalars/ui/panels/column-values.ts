// What panels draw of the run table: names of its columns, their values as text, and rows that have none.
import type { Known } from '$web/runs/fields';
import { knownOf, type SortFacts } from '$web/runs/order';
import type { Row } from '$web/runs/rows';
import { describeTagValue } from '$web/runs/tag-values';
import type { Panel, SortKey } from '$web/state/view';
import * as format from '$web/widgets/format';

export type OwnColumn = Extract<SortKey, { column: string }>['column'];
/** Columns of a run itself that are numbers or few words. */
export const OWN_NAMES: Readonly<Partial<Record<OwnColumn, string>>> = {
  duration: 'Duration',
  points: 'Points',
  newest: 'Newest point',
  status: 'Status',
  host: 'Host',
};

export function nameOfKey(key: SortKey): string {
  if ('kind' in key) return describeTagValue(key);
  return 'setting' in key ? key.setting : (OWN_NAMES[key.column] ?? key.column);
}

export function titleOf(panel: Panel): string {
  if (panel.kind === 'formula') return panel.formula;
  return panel.kind === 'bar' ? nameOfKey(panel.value) : `${nameOfKey(panel.y)} against ${nameOfKey(panel.x)}`;
}

export function textOf(key: SortKey, value: number | string): string {
  if (typeof value === 'string') return value;
  if ('column' in key && key.column === 'duration') return format.duration(value);
  if ('column' in key && key.column === 'newest') return format.moment(value);
  if ('column' in key && key.column === 'points') return format.count(value);
  return format.value(value);
}

/** A status is a word here, though the list sorts it by rank. */
export function valueOf(row: Row, key: SortKey, facts: SortFacts): Known {
  return 'column' in key && key.column === 'status' ? row.status.replace('_', ' ') : knownOf(row, key, facts);
}

/** Whether a value can be drawn: NaN and infinity have no place. */
export function isDrawn(value: Known): value is number | string {
  return typeof value === 'number' ? Number.isFinite(value) : value !== undefined && value !== '';
}

/** What stands below a panel: how many of the shown runs it draws, and why not the others. */
export function describeDrawn(drawn: number, shown: number): string {
  const runs = format.plural(shown, 'run');
  return drawn === shown ? runs : `${format.count(drawn)} of ${runs}; the others have no value`;
}
