// Rows of the Critical path part, on the path and off it.
import type { PathRow } from '$api';

/** What is on the path, longest first, and what runs off it, most time first. */
export function sides(operations: readonly PathRow[]): { on: PathRow[]; off: PathRow[] } {
  const off = operations.filter(({ slack_ms }) => slack_ms !== null);
  return {
    on: operations.filter(({ path_ms }) => path_ms > 0),
    off: off.sort((a, b) => b.off_path_ms - a.off_path_ms),
  };
}
