// Names in the picture keep their beginning and their end.
import { expect, it } from 'vitest';
import { fitted } from './picture';

const width = (text: string): number => text.length;

it('a name that fits stays, and another loses its middle', () => {
  expect(fitted('stream 7', 8, width)).toBe('stream 7');
  expect(fitted('thread 12345 (main)', 9, width)).toBe('thre…ain)');
  expect(fitted('anything', 0, width)).toBe('…');
});

it('a name of a megabyte is fitted as fast as any', () => {
  let measured = 0;
  const counting = (text: string): number => {
    measured += text.length;
    return text.length;
  };
  expect(fitted('n'.repeat(1_000_000), 20, counting)).toHaveLength(20);
  expect(measured).toBeLessThan(50_000);
});
