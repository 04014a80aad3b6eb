// Colours belong to ids: distinct for the first forty, stable as runs come and go; dashes tell roles alone.
import { expect, it } from 'vitest';
import { HUES, SHADES } from '../style/theme';
import { assignColours, dashOfRole, shaded } from './colours';

const ids = Array.from({ length: HUES * SHADES }, (_, i) => `${i}`.padStart(12, '0'));
const hues = (some: readonly string[], colours: ReadonlyMap<string, number>) =>
  new Set(some.map((id) => (colours.get(id) ?? Number.NaN) % HUES));

it('gives the first ten rows ten hues, and other shades after that', () => {
  const colours = assignColours(ids);
  const first = ids.slice(0, HUES);
  expect(hues(first, colours).size).toBe(HUES);
  expect(first.every((id) => (colours.get(id) ?? HUES) < HUES)).toBe(true);
  expect(new Set(colours.values()).size).toBe(HUES * SHADES);
});

it('gives rows of one folder different hues, whatever the others took', () => {
  const colours = assignColours(ids, (id) => (Number(id) < 8 ? 'a' : 'b'));
  for (const part of [ids.slice(0, 8), ids.slice(8, 18)]) expect(hues(part, colours).size).toBe(part.length);
  expect(hues(ids.slice(0, 10), colours).size).toBe(HUES);
});

it('does not change the old when new runs come', () => {
  const before = assignColours(ids.slice(0, 7));
  const after = assignColours(ids);
  for (const id of ids.slice(0, 7)) expect(after.get(id)).toBe(before.get(id));
});

it('does not change the others when runs go, as long as they are known', () => {
  const before = assignColours(ids);
  const left = ids.filter((_, i) => i % 3 !== 0);
  expect(assignColours(left, undefined, before)).toEqual(new Map(left.map((id) => [id, before.get(id)])));
  const fresh = assignColours(['new', ...left], undefined, before).get('new');
  expect(left.map((id) => before.get(id))).not.toContain(fresh);
});

it('repeats colours only when all are taken', () => {
  const many = Array.from({ length: 100 }, (_, i) => `run${i}`);
  const counts = new Map<number, number>();
  for (const colour of assignColours(many).values()) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(3);
  expect(counts.size).toBe(HUES * SHADES);
});

it('has a shade of the same hue for each further line of a run', () => {
  expect([0, 1, 2, 3].map((shade) => shaded(7, shade))).toEqual([7, 17, 27, 37]);
  expect(shaded(37, 1)).toBe(7);
});

it('draws validation dashed, and nothing else', () => {
  expect(dashOfRole('train')).toBe('solid');
  expect(dashOfRole('validation')).toBe('dashed');
  expect(dashOfRole('test')).toBe('dotted');
  expect(dashOfRole(null)).toBe('solid');
});
