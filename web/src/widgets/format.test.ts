// Numbers, sizes and times are written as the page's rules say.
import { expect, it } from 'vitest';
import { age, bytes, count, difference, duration, moment, percent, plural, value } from './format';

it.each([
  [0.123456, '0.1235'],
  [1.5, '1.5'],
  [0.00012345, '0.0001234'],
  [0.00001234, '1.234e\u22125'],
  [1234.5678, '1235'],
  [48210.4, '48,210'],
  [123456789, '1.235e8'],
  [-0.25, '\u22120.25'],
  [100, '100'],
  [1000, '1000'],
  [0, '0'],
  [Number.NaN, 'NaN'],
  [Infinity, '+Inf'],
  [-Infinity, '\u2212Inf'],
  [null, '–'],
])('writes %s as %s', (number, text) => {
  expect(value(number)).toBe(text);
});

it('writes counts, differences and shares', () => {
  expect(count(2314880)).toBe('2,314,880');
  expect(plural(1, 'run')).toBe('1 run');
  expect(plural(2000, 'run')).toBe('2,000 runs');
  expect(difference(0.5)).toBe('+0.5');
  expect(difference(-2)).toBe('\u22122');
  expect(percent(0.12345)).toBe('+12.3 %');
});

it('writes sizes in binary units', () => {
  expect(bytes(512)).toBe('512 B');
  expect(bytes(1536)).toBe('1.50 KiB');
  expect(bytes(73400320)).toBe('70.0 MiB');
  expect(bytes(1023 * 1024)).toBe('1023 KiB');
});

it('writes ages with one unit and durations with two', () => {
  expect(age(1.9)).toBe('1 s');
  expect(age(3599)).toBe('59 min');
  expect(age(90000)).toBe('25 h');
  expect(age(86400 * 12)).toBe('12 d');
  expect(duration(4800)).toBe('1 h 20 min');
  expect(duration(3600)).toBe('1 h');
  expect(duration(0.0123)).toBe('12.3 ms');
  expect(duration(null)).toBe('–');
  expect(moment(null)).toBe('–');
});
