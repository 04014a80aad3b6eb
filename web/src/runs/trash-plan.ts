// What the question before a deletion says: how much moves, which other runs go along, and what keeps folders where they are.
import type { PlannedFolder } from '../api/trash';
import { bytes, count, plural } from '../widgets/format';

export interface TrashSummary {
  /** Folders that can be moved. */
  movable: PlannedFolder[];
  stuck: PlannedFolder[];
  /** Runs that were not asked for, in the folders of those that were. */
  others: { id: string; name: string }[];
  live: { id: string; name: string }[];
  /** "2 folders, 14 files, 3.2 MB" */
  amount: string;
}

export function summarize(folders: readonly PlannedFolder[]): TrashSummary {
  const movable = folders.filter((folder) => folder.problem === null);
  const runs = movable.flatMap((folder) => folder.runs);
  const files = movable.reduce((sum, folder) => sum + folder.files, 0);
  const size = movable.reduce((sum, folder) => sum + folder.bytes, 0);
  const least = movable.every((folder) => folder.counted_all) ? '' : 'at least ';
  return {
    movable,
    stuck: folders.filter((folder) => folder.problem !== null),
    others: runs.filter((run) => !run.chosen),
    live: runs.filter((run) => run.live),
    amount: `${plural(movable.length, 'folder')}, ${least}${plural(files, 'file')}, ${bytes(size)}`,
  };
}

const MOST_NAMES = 5;

/** The first names, and how many more there are. */
export function someNames(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  return rest > 0 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${count(rest)} more` : names.join(', ');
}
