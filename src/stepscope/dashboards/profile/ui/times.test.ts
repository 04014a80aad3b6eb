// Times keep their unit, and a small share is not nothing.
import { formatCount } from '$web/draw/number';
import { expect, it } from 'vitest';
import { perStep, shareText, stepTime } from './times';

it('has the unit that fits', () => {
  expect(stepTime(177.2)).toBe('177\u202fms');
  expect(stepTime(0.0123)).toBe('12.3\u202fµs');
});

it('tells a small share from none', () => {
  expect(shareText(0)).toBe('0%');
  expect(shareText(0.0001)).toBe('<\u202f0.1%');
  expect(shareText(0.33)).toBe('33%');
});

it('gives a mean over steps', () => {
  expect([53, 0.7, 499.2, 1234].map(perStep)).toEqual(['53', '0.7', '499', formatCount(1234)]);
  expect([0.5, 1 / 3, 0.0625, 0.0626, 0].map(perStep)).toEqual(['1 in 2', '1 in 3', '1 in 16', '0.0626', '0']);
});
