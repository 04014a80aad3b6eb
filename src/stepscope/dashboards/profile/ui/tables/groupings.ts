// What may make one row of a table: the choices that the server offers, in the words of the page.
import type { By, HloBy, KernelsBy } from '$api';

export interface Grouping<Choice extends string = string> {
  by: Choice;
  label: string;
}

export const OPERATION_GROUPINGS: readonly Grouping<By>[] = [
  { by: 'name', label: 'Name' },
  { by: 'type', label: 'Type' },
  { by: 'scope', label: 'Scope' },
  { by: 'module', label: 'Module' },
  { by: 'program', label: 'Program' },
  { by: 'shape', label: 'Shapes' },
  { by: 'source', label: 'Source line' },
];

export const KERNEL_GROUPINGS: readonly Grouping<KernelsBy>[] = [
  { by: 'name', label: 'Name' },
  { by: 'launch', label: 'Launch' },
  { by: 'family', label: 'Family' },
  { by: 'op', label: 'Operation' },
  { by: 'stream', label: 'Stream' },
];

export const HLO_GROUPINGS: readonly Grouping<HloBy>[] = [
  { by: 'op', label: 'Operation' },
  { by: 'category', label: 'Category' },
  { by: 'program', label: 'Program' },
  { by: 'framework', label: 'Framework operation' },
  { by: 'source', label: 'Source line' },
];

/** The chosen grouping where the table has it, else its first: the tables share the choice. */
export function rowsBy<Choice extends string>(
  groupings: readonly Grouping<Choice>[],
  chosen: string,
): Choice | undefined {
  return (groupings.find(({ by }) => by === chosen) ?? groupings[0])?.by;
}
