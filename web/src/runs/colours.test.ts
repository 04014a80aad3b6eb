// Colours belong to ids: distinct for the first ten, stable as runs are added.
import { expect, it } from 'vitest';
import { assignLooks, dashOfRole, HUES } from './colours';

const ids = Array.from({ length: 25 }, (_, i) => `${i}`.padStart(12, '0'));

it('gives the first ten rows ten hues, and dashes after that', () => {
  const looks = assignLooks(ids);
  const first = ids.slice(0, 10).map((id) => looks.get(id));
  expect(new Set(first.map((look) => look?.hue)).size).toBe(HUES);
  expect(first.every((look) => look?.dash === 'solid')).toBe(true);
  expect(new Set(ids.map((id) => JSON.stringify(looks.get(id)))).size).toBe(25);
});

it('gives rows of one folder different hues, whatever the others took', () => {
  const looks = assignLooks(ids, (id) => (Number(id) < 8 ? 'a' : 'b'));
  for (const part of [ids.slice(0, 8), ids.slice(8, 18)]) {
    expect(new Set(part.map((id) => looks.get(id)?.hue)).size).toBe(part.length);
  }
  expect(new Set(ids.slice(0, 10).map((id) => looks.get(id)?.hue)).size).toBe(HUES);
});

it('does not change the old when new runs come', () => {
  const before = assignLooks(ids.slice(0, 7));
  const after = assignLooks(ids);
  for (const id of ids.slice(0, 7)) expect(after.get(id)).toEqual(before.get(id));
});

it('draws validation dashed', () => {
  expect(dashOfRole('train', 'dotted')).toBe('solid');
  expect(dashOfRole('validation', 'solid')).toBe('dashed');
  expect(dashOfRole('test', 'solid')).toBe('dotted');
  expect(dashOfRole(null, 'dashed')).toBe('dashed');
});
