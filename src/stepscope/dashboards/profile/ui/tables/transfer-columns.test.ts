// Copies have their sizes, rates and times, and a dash for memories and streams that are not recorded.
import type { TransferRow } from '$api';
import { NONE } from '$web/draw/number';
import { expect, it } from 'vitest';
import { TRANSFER_COLUMNS, TRANSFER_GROUPINGS } from './transfer-columns';

const row: TransferRow = {
  ...(Object.fromEntries(TRANSFER_COLUMNS.map(({ key }) => [key, null])) as unknown as TransferRow),
  direction: 'host to device',
  count: 3,
  bytes: 1_500_000,
  bytes_per_second: 2e9,
  total_us: 2_500,
  streams: [7, 8],
  source_memory: 'pinned',
  target_memory: 'unknown',
};
const text = (key: string, of: TransferRow = row): string | undefined =>
  TRANSFER_COLUMNS.find((column) => column.key === key)?.text(of);
const raw = (key: string): unknown => TRANSFER_COLUMNS.find((column) => column.key === key)?.raw(row);

it('writes sizes, rates and times with their units', () => {
  expect(text('bytes')).toMatch(/^1\.43\sMiB$/);
  expect(text('bytes_per_second')).toMatch(/B\/s$/);
  expect(text('total_us')).toMatch(/^2\.50?\sms$/);
});

it('lists the streams', () => {
  expect([text('streams'), raw('streams')]).toEqual(['7, 8', '7 8']);
  expect(text('streams', { ...row, streams: [] })).toBe(NONE);
});

it('has nothing for a memory that is not recorded, so that its column may be left out', () => {
  expect([text('source_memory'), raw('source_memory')]).toEqual(['pinned', 'pinned']);
  expect([text('target_memory'), raw('target_memory')]).toEqual([NONE, '']);
});

it('makes rows by what the server offers', () => {
  expect(TRANSFER_GROUPINGS.map(({ by }) => by)).toEqual(['direction', 'operation', 'stream']);
});
