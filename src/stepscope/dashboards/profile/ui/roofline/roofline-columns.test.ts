// Rows below a roofline say what they achieve, mark what cannot be, and leave out what is unknown.
import type { RooflinePoint } from '$api';
import { NONE } from '$web/draw/number';
import { expect, it } from 'vitest';
import { ROOFLINE_COLUMNS } from './roofline-columns';

const row = (more: Partial<RooflinePoint>): Record<string, string> => {
  const point = Object.fromEntries(ROOFLINE_COLUMNS.map(({ key }) => [key, null])) as unknown as RooflinePoint;
  return Object.fromEntries(
    ROOFLINE_COLUMNS.map((column) => [column.key, column.text({ ...point, count: 1, ...more })]),
  );
};

it('marks a share that exceeds the roof', () => {
  expect(row({ share_of_roof: 0.42, implausible: false })['share_of_roof']).toMatch(/^42(\.0)?%$/);
  expect(row({ share_of_roof: 1.2, implausible: true })['share_of_roof']).toMatch(/^120(\.0)?% !$/);
});

it('has a dash for what is unknown', () => {
  const texts = row({});
  for (const key of ['share_of_roof', 'flops_per_byte', 'flops_per_second', 'bytes_per_second', 'rematerialised'])
    expect([key, texts[key]]).toEqual([key, NONE]);
});

it('writes rates with their units', () => {
  expect(row({ flops_per_second: 2e12 })['flops_per_second']).toMatch(/^2.*FLOP\/s$/);
  expect(row({ bytes_per_second: 3e9 })['bytes_per_second']).toMatch(/^3.*B\/s$/);
});

it('says yes only of what is recomputed, so that the column is empty where nothing is', () => {
  const column = ROOFLINE_COLUMNS.find(({ key }) => key === 'rematerialised');
  const raw = [true, false].map((rematerialised) => column?.raw({ rematerialised } as RooflinePoint));
  expect(raw).toEqual([true, null]);
  expect(row({ rematerialised: true })['rematerialised']).not.toBe(NONE);
});

it('shows each key once, and the spare ones only when asked to', () => {
  const keys = ROOFLINE_COLUMNS.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(ROOFLINE_COLUMNS.filter(({ spare }) => spare === true).map(({ key }) => key)).toContain('flops_from');
});
