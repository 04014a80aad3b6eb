// Words around numbers, with thin spaces before units.
import { expect, it } from 'vitest';
import { age, asWords, difference, duration, moment, percent, plural, value } from './format';

const thin = (text: string): string => text.replaceAll('_', '\u202f');

it('says how many of what', () => {
  expect(plural(1, 'run')).toBe('1 run');
  expect(plural(20000, 'run')).toBe(thin('20_000 runs'));
  expect(plural(2, 'entry', 'entries')).toBe('2 entries');
});

it('shows a dash for no value', () => {
  expect([value(null), difference(null), percent(null), duration(null), moment(null)]).toEqual([
    '–',
    '–',
    '–',
    '–',
    '–',
  ]);
  expect(value(0.123456)).toBe('0.1235');
});

it('signs differences and shares of change', () => {
  expect(difference(0.5)).toBe('+0.5');
  expect(difference(-2)).toBe('\u22122');
  expect(percent(0.12345)).toBe(thin('+12.3%'));
  expect(percent(Infinity)).toBe('–');
});

it('writes ages with one unit', () => {
  expect([1.9, 3599, 90000, 86400 * 12, 86400 * 1000, -5].map(age).map((text) => text.replace('\u202f', ' '))).toEqual([
    '1 s',
    '59 min',
    '25 h',
    '12 d',
    '2.7 y',
    '0 s',
  ]);
});

it('writes stable words as people do', () => {
  expect([asWords('constant_folded'), asWords('cuda_graph'), asWords('')]).toEqual([
    'Constant folded',
    'CUDA graph',
    '',
  ]);
});
