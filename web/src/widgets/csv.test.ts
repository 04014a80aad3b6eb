// Cells of CSV files are whole, and none of them is run by a spreadsheet.
import { expect, it } from 'vitest';
import { csvOf } from './csv';

it('writes numbers in full and nothing for what is missing', () => {
  expect(csvOf([['a', 0.1234567890123, null, undefined, -2]])).toBe('a,0.1234567890123,,,-2\r\n');
});

it('quotes what would end a cell or a line', () => {
  expect(csvOf([['a,b', 'say "so"', 'two\nlines']])).toBe('"a,b","say ""so""","two\nlines"\r\n');
});

it('lets no spreadsheet run a name', () => {
  expect(csvOf([['=1+1', '@sum', '-x', '-1e-3']])).toBe("'=1+1,'@sum,'-x,-1e-3\r\n");
});
