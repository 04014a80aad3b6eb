// What the tab shows survives the address, and nonsense in an address is left out.
import { expect, it } from 'vitest';
import { DEFAULTS, metricKey, metricOf, readView, writeView, type HparamsView } from './hparams-view';

const full: HparamsView = {
  show: 'parallel',
  reading: 'at',
  meanOf: 5,
  at: 100,
  hidden: ['h:a b', 'm:x/y@val'],
  added: ['m:loss@validation'],
  diff: true,
  groups: true,
  seeds: ['seed', 'fold'],
  filters: [
    { key: 'h:lr', kind: 'interval', low: null, high: 1e-3 },
    { key: 'h:opt', kind: 'values', values: ['a', 'b & c'] },
    { key: 'run', kind: 'regex', pattern: '^res' },
    { key: 'm:loss@', kind: 'missing', missing: true },
    { key: 'h:x', kind: 'missing', missing: false },
  ],
  sort: 'm:loss@',
  descending: true,
  open: '0123456789ab',
  scales: { 'h:lr': 'log', 'm:a b@': 'quantile' },
  colour: 'm:loss@',
  target: 'm:loss@',
};

it('is the same after the address', () => {
  expect(readView(writeView(full))).toEqual(full);
  expect(writeView({ ...DEFAULTS })).toBe('');
  expect(readView('')).toEqual(DEFAULTS);
  expect(readView(writeView({ ...DEFAULTS, seeds: [] })).seeds).toEqual([]);
});

it('ignores what it cannot read', () => {
  expect(readView('show=x&read=y&mean=-1&at=z&f=%7B&f=%5B1%5D&f=%5B"a","zz"%5D&axis=cubic+h:a&add=h:lr')).toEqual(
    DEFAULTS,
  );
});

it('names metrics', () => {
  expect(metricOf(metricKey({ tag: 'a@b', group: 'val' }))).toEqual({ tag: 'a@b', group: 'val' });
  expect(metricOf(metricKey({ tag: 'loss' }))).toEqual({ tag: 'loss', group: '' });
  expect([metricOf('h:lr'), metricOf('m:@')]).toEqual([null, null]);
});
