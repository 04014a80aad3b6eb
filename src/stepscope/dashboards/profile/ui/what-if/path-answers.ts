// Rows of the Critical path part, on the path and off it, and how parts of one group are told apart.
import type { PathRow } from '$api';
import { groupOfPart } from '../groups';

/** What is on the path, longest first, and what runs off it, most time first. */
export function sides(operations: readonly PathRow[]): { on: PathRow[]; off: PathRow[] } {
  const off = operations.filter(({ slack_ms }) => slack_ms !== null);
  return {
    on: operations.filter(({ path_ms }) => path_ms > 0),
    off: off.sort((a, b) => b.off_path_ms - a.off_path_ms),
  };
}

const TEXTURES = ['', 'striped', 'dotted', 'crossed'];

/** Parts of one group have its colour; all but the first of them a texture of their own as well. */
export function looksOf(parts: readonly { part: string }[]): Map<string, string> {
  const used = new Map<string, number>();
  return new Map(
    parts.map(({ part }) => {
      const group = groupOfPart(part);
      const place = used.get(group) ?? 0;
      used.set(group, place + 1);
      return [part, `time-${group} ${TEXTURES[place % TEXTURES.length] ?? ''}`.trim()];
    }),
  );
}
