// Times keep their unit, and a small share is not nothing.
import { expect, it } from 'vitest';
import { shareText, stepTime } from './times';

it('has the unit that fits', () => {
  expect(stepTime(177.2)).toBe('177\u202fms');
  expect(stepTime(0.0123)).toBe('12.3\u202fµs');
});

it('tells a small share from none', () => {
  expect(shareText(0)).toBe('0%');
  expect(shareText(0.0001)).toBe('<\u202f0.1%');
  expect(shareText(0.33)).toBe('33%');
});
