// Puts the lines of two texts beside each other.
import { differenceOf } from '../media/difference';

export interface SideBySide {
  /** Null where the other text has lines that this one lacks. */
  left: string | null;
  right: string | null;
  same: boolean;
}

/** Lines of two texts beside each other: those that replace one another share a row. */
export function sideBySide(before: string, after: string): SideBySide[] {
  const rows: SideBySide[] = [];
  let out: string[] = [];
  let into: string[] = [];
  const flush = (): void => {
    for (let i = 0; i < Math.max(out.length, into.length); i++)
      rows.push({ left: out[i] ?? null, right: into[i] ?? null, same: false });
    out = [];
    into = [];
  };
  for (const { change, text } of differenceOf(before, after)) {
    if (change === 'out') out.push(text);
    else if (change === 'in') into.push(text);
    else {
      flush();
      rows.push({ left: text, right: text, same: true });
    }
  }
  flush();
  return rows;
}
