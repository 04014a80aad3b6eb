// Which spans are listed beside a view: those of a row of a table, or those behind a line of evidence, as the address has it.
import type { CollectiveRow, ExposedRow, KernelRow, InstancesOf, OperationRow, RooflinePoint, TransferRow } from '$api';
import type { PartQuestion } from '../answers';

/** What tells the row from others; the rest of the question is the page's. */
export type Asked = Omit<PartQuestion<'instances'>, 'session' | 'steps' | 'range' | 'row' | 'order' | 'limit'> & {
  worker: string;
};

const KINDS: readonly InstancesOf[] = ['span', 'operation', 'kernel', 'copy', 'collective'];

/** As the address has it; what is empty is left out. */
export function writeAsked(asked: Asked): string {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(asked))
    if (value !== undefined && value !== null && value !== '' && value !== false) words.append(key, String(value));
  return words.toString();
}

/** What the address asks for; null when it asks for nothing. */
export function readAsked(text: string): Asked | null {
  const words = new URLSearchParams(text);
  const word = (key: string): string => words.get(key) ?? '';
  const number = (key: string): number | null => (/^\d{1,13}$/.test(word(key)) ? Number(word(key)) : null);
  const like = number('like');
  if (like === null && !words.has('name')) return null;
  return {
    worker: word('worker'),
    like,
    of: KINDS.find((kind) => kind === word('of')) ?? 'span',
    by: word('by'),
    name: word('name'),
    calls: word('calls') === 'true',
    device: word('device'),
    op: word('op'),
    memory: word('memory'),
    stream: number('stream'),
    group: word('group'),
    bytes: number('bytes'),
  };
}

const named = (of: InstancesOf, worker: string, name: string): Asked => ({ worker, of, name });

export const ofOperation = (row: OperationRow, by: string, calls: boolean): Asked => ({
  ...named('operation', row.worker, row.name),
  by,
  calls,
  device: row.device,
});

export const ofPoint = (row: RooflinePoint): Asked => ({
  ...named('operation', row.worker, row.name),
  device: row.device,
});

export const ofExposed = (row: ExposedRow, worker: string): Asked => ({
  ...named('operation', worker, row.name),
  calls: true,
  device: row.device,
});

export const ofKernel = (row: KernelRow, by: string): Asked => ({
  ...named('kernel', row.worker, row.name),
  by,
  op: row.op,
});

export const ofCopies = (row: TransferRow, by: string): Asked => ({
  ...named('copy', row.worker, row.direction),
  by,
  device: row.device,
  op: row.op,
  memory: `${row.source_memory} to ${row.target_memory}`,
  stream: row.streams[0] ?? null,
});

export const ofCollective = (row: CollectiveRow, worker: string): Asked => ({
  ...named('collective', worker, row.kind),
  group: row.group,
  bytes: row.bytes,
});

/** The host operations, or calls, that allocated memory. */
export const ofAllocating = (op: string, worker: string): Asked => ({
  ...named('operation', worker, op),
  calls: true,
  device: 'host',
});

/** All spans of a name. */
export const ofName = (name: string, worker: string): Asked => named('span', worker, name);

/** Spans like the one that evidence names. */
export const ofEvidence = (row: number, worker: string): Asked => ({ worker, of: 'span', like: row });
