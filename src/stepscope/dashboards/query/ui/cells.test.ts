// Cells follow the unit of their column.
import { expect, it } from 'vitest';
import { cellText, isNumeric, unitOf } from './cells';

const column = (unit: string, type = 'DOUBLE') => ({ key: 'x', type, unit, meaning: '' });

it.each([
  ['B', 2048, '2\u202fKiB'],
  ['fraction', 0.256, '26%'],
  ['ms', 1.25, '1.25'],
  ['step', 12345, '12\u202f345'],
  ['', null, '–'],
  ['', true, 'true'],
  ['as logged', 'NaN', 'NaN'],
])('%s %s → %s', (unit, value, text) => {
  expect(cellText(column(unit), value)).toBe(text);
});

it('units that cells have are not repeated in heads', () => {
  expect(['µs', 'B', 'fraction', 'count', 'ns'].map((unit) => unitOf(column(unit)))).toEqual(['µs', '', '', '', 'ns']);
});

it('numbers are told from text by the type', () => {
  const types = ['BIGINT', 'HUGEINT', 'DOUBLE', 'DECIMAL(38,0)', 'UINTEGER', 'VARCHAR', 'BIGINT[]', 'BOOLEAN'];
  expect(types.filter((type) => isNumeric(column('', type)))).toEqual(types.slice(0, 5));
});
