// How many runs there are, counted in one way on every screen: the rows that the list has without a search.
import { count, plural } from '../widgets/format';
import type { Row } from './rows';

export interface RunCount {
  /** Rows of the list. */
  listed: number;
  /** Rows that the user has put away. */
  archived: number;
  /** Folders with data behind all rows. */
  folders: number;
}

/** `onDisk` is what the server found: folders inside others may be shown as part of them. */
export function countRuns(rows: readonly Row[], onDisk: number): RunCount {
  const archived = rows.filter((row) => row.hidden).length;
  const behind = rows.reduce((sum, row) => sum + row.runs.length, 0);
  return { listed: rows.length - archived, archived, folders: Math.max(behind, onDisk) };
}

/** What the number leaves out; empty when every folder is a run of the list. */
export function describeLeftOut({ listed, archived, folders }: RunCount): string {
  const parts = [
    ...(archived > 0 ? [`${count(archived)} archived`] : []),
    ...(folders > listed + archived
      ? [`${plural(folders, 'folder')} with data, of which those of one experiment count once`]
      : []),
  ];
  return parts.length === 0 ? '' : `not counted: ${parts.join('; ')}`;
}
