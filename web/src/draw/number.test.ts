// Exact texts of every number format, thin spaces and real minus signs included.
import { describe, expect, it } from 'vitest';
import {
  formatAgo,
  formatBytes,
  formatChange,
  formatCount,
  formatDay,
  formatDuration,
  formatShare,
  formatSI,
  formatTime,
  formatTogether,
  formatValue,
  shortenMiddle,
} from './number';

const thin = (text: string): string => text.replaceAll('_', '\u202f');

describe('formatValue', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [1, '1'],
    [0.5, '0.5'],
    [0.123456, '0.1235'],
    [-0.123456, '−0.1235'],
    [0.00012345, '0.0001234'],
    [0.000099999, '0.0001'],
    [0.0000123456, '1.235e−5'],
    [-2.5e-9, '−2.5e−9'],
    [1234.5678, '1235'],
    [12345.678, '12_350'],
    [999999, '1e6'],
    [1234567, '1.235e6'],
    [1e21, '1e21'],
    [NaN, 'NaN'],
    [Infinity, '∞'],
    [-Infinity, '−∞'],
  ])('%d', (value, text) => expect(formatValue(value)).toBe(thin(text)));

  it('takes the number of digits', () => expect(formatValue(2 / 3, 3)).toBe('0.667'));
  it('signs a difference', () => {
    expect(formatChange(0.25)).toBe('+0.25');
    expect(formatChange(-0.25)).toBe('−0.25');
    expect(formatChange(0)).toBe('0');
  });
});

describe('formatTogether', () => {
  it('gives a column the same decimals', () =>
    expect(formatTogether([0.8551, 0.844, -0.1, NaN])).toEqual(['0.8551', '0.8440', '−0.1000', 'NaN']));
  it('keeps digits when sizes differ much', () => expect(formatTogether([12, 0.00123])).toEqual(['12', '0.00123']));
  it('has nothing to say about nothing', () => expect(formatTogether([])).toEqual([]));
});

describe('counts and shares', () => {
  it.each([
    [0, '0'],
    [1998, '1998'],
    [48210, '48_210'],
    [2314880, '2_314_880'],
    [-12345, '−12_345'],
  ])('%d', (value, text) => expect(formatCount(value)).toBe(thin(text)));
  it.each([
    [0.3333, '33%'],
    [0.0421, '4.2%'],
    [0.04, '4%'],
    [1, '100%'],
    [0, '0%'],
    [-0.051, '−5.1%'],
    [0.0997, '10%'],
  ])('%d', (value, text) => expect(formatShare(value)).toBe(thin(text)));
});

describe('units', () => {
  it.each([
    [0, '0_B'],
    [512, '512_B'],
    [1024, '1_KiB'],
    [1536, '1.5_KiB'],
    [1048575, '1_MiB'],
    [3.2 * 2 ** 30, '3.2_GiB'],
    [123456789, '118_MiB'],
  ])('%d bytes', (value, text) => expect(formatBytes(value)).toBe(thin(text)));
  it.each([
    [48210, '', '48.2_k'],
    [999, '', '999'],
    [999600, '', '1_M'],
    [12.34e12, 'FLOP/s', '12.3_TFLOP/s'],
    [-1500, '', '−1.5_k'],
  ])('%d %s', (value, unit, text) => expect(formatSI(value, unit)).toBe(thin(text)));
});

describe('times', () => {
  it.each([
    [0, '0_s'],
    [3.2e-8, '32_ns'],
    [12.34e-6, '12.3_µs'],
    [0.0456, '45.6_ms'],
    [0.9999, '1_s'],
    [1.234, '1.23_s'],
    [59.99, '1_min'],
    [125, '2_min 5_s'],
    [120, '2_min'],
    [3599.7, '1_h'],
    [4320, '1_h 12_min'],
    [86399, '1_d'],
    [273600, '3_d 4_h'],
    [-2, '−2_s'],
  ])('%d seconds', (value, text) => expect(formatDuration(value)).toBe(thin(text)));
  it.each([
    [0.4, 'now'],
    [5.9, '5_s ago'],
    [200, '3_min ago'],
    [7300, '2_h ago'],
    [90000, '25_h ago'],
    [400000, '4_d ago'],
    [-3, 'now'],
    [-300, 'in the future'],
    [NaN, '–'],
  ])('%d seconds before', (age, text) => expect(formatAgo(1000 - age, 1000)).toBe(thin(text)));
  it('writes local date and time', () => {
    const wall = new Date(2026, 10, 5, 2, 9, 8).getTime() / 1000;
    expect(formatTime(wall)).toBe('2026-11-05 02:09:08');
    expect(formatDay(wall)).toBe('2026-11-05');
    expect(formatTime(1e300)).toBe('–');
  });
});

describe('shortenMiddle', () => {
  it('keeps both ends', () => expect(shortenMiddle('mnist/lr0.1/train', 11)).toBe('mnist…train'));
  it('leaves short names', () => expect(shortenMiddle('loss', 4)).toBe('loss'));
  it('never cuts a character in two', () => expect(shortenMiddle('🙂🙂🙂🙂', 3)).toBe('🙂…🙂'));
});
