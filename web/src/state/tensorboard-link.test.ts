// Links of TensorBoard's page, old and new, and addresses that are none.
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../runs/query';
import { tensorboardView } from './tensorboard-link';
import { defaultView, type View } from './view';

const plain = defaultView();
const cards = ['scalar', 'histogram', 'image'];
const pins = encodeURIComponent(
  JSON.stringify([
    { plugin: 'scalars', tag: 'loss' },
    { plugin: 'images', tag: 'a/b', sample: 0 },
  ]),
);

describe('a link of TensorBoard', () => {
  it.each<[string, string, Partial<View>]>([
    ['', '#timeseries', { kinds: cards }],
    ['?darkMode=true&smoothing=0.8', '#timeseries', { kinds: cards, smoothing: { method: 'ema', amount: 0.8 } }],
    ['?tagFilter=lo.s%2B', '#timeseries', { kinds: cards, filter: 'lo.s+' }],
    ['?runFilter=a%2Fb%7Cc', '', { kinds: cards, search: '/a\\/b|c/' }],
    ['?runFilter=a%5C%2Fb', '#timeseries', { kinds: cards, search: '/a\\/b/' }],
    [`?pinnedCards=${pins}`, '#timeseries', { kinds: cards, pins: ['loss', 'a/b'] }],
    ['?smoothing=7', '#scalars', { smoothing: { method: 'ema', amount: 0.999 } }],
    ['?smoothing=x&tagFilter=a', '#scalars', { filter: 'a' }],
    ['?tagFilter=a', '#images', { tab: 'media', media: 'images', filter: 'a' }],
    ['?tagFilter=', '#distributions', { tab: 'media', media: 'histograms', histograms: 'percentiles' }],
    ['?tagFilter=', '#hparams', { tab: 'hparams' }],
    [
      '',
      '#scalars&_smoothingWeight=0.5&tagFilter=acc&regexInput=train&_ignoreYOutliers=false',
      { smoothing: { method: 'ema', amount: 0.5 }, filter: 'acc', search: '/train/', ignoreOutliers: false },
    ],
    ['?pinnedCards=%5B1%2Cnull%2C%7B%22tag%22%3A3%7D%5D', '#timeseries', { kinds: cards }],
    ['?pinnedCards=%7B', '#timeseries', { kinds: cards }],
    ['?tagFilter=a', '#<script>', { filter: 'a' }],
  ])('%s%s', (query, hash, changed) => expect(tensorboardView(query, hash)).toEqual({ ...plain, ...changed }));

  it('filters runs by a pattern that the run list understands', () => {
    const search = tensorboardView('?runFilter=%5Ea%2F(b%7Cc)%24', '#timeseries')?.search ?? '';
    expect(parseQuery(search).terms.map((term) => term.kind)).toEqual(['regex']);
  });
});

it.each([
  ['', ''],
  ['', '#scalars'],
  ['', '#scalars?smooth=ema:0.5&tags=loss'],
  ['?token=x', '#media'],
])('is not %s%s', (query, hash) => expect(tensorboardView(query, hash)).toBeNull());
