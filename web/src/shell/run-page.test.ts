// A run's page has the texts about the run before others, and all tags by kind.
import { expect, it } from 'vitest';
import type { Tag } from '../api/types';
import { plainTag, tagsByKind, textsAbout } from './run-page';

it('shows texts about the run, and texts that were logged once', () => {
  const tags = [
    { name: 'samples', points: 40 },
    { name: 'zebra', points: 1 },
    { name: 'config/text_summary', points: 3 },
    { name: 'run', points: 1 },
  ];
  expect(textsAbout(tags)).toEqual(['run', 'config/text_summary', 'zebra']);
  expect(plainTag('config/text_summary')).toBe('config');
  expect(textsAbout(Array.from({ length: 50 }, (_, i) => ({ name: `t${i}`, points: 1 })))).toHaveLength(8);
});

it('lists tags by kind, numbers first', () => {
  const tag = (name: string, kind: string): Tag => ({
    name,
    kind,
    display_name: null,
    description: null,
    points: 1,
    series: 1,
  });
  const found = tagsByKind([tag('a', 'text'), tag('b', 'odd_thing'), tag('c', 'scalar'), tag('d', 'text')]);
  expect(found.map(({ label, tags }) => [label, tags.length])).toEqual([
    ['Numbers', 1],
    ['Texts', 2],
    ['odd thing', 1],
  ]);
});
