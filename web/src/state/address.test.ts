// Every choice survives the way into the address and back, and no address breaks the page.
import { describe, expect, it } from 'vitest';
import { changedKeys, readAddress, writeAddress } from './address';
import { defaultView, type View } from './view';

const full: View = {
  tab: 'media',
  selection: { mode: 'except', runs: ['0123456789ab', 'ffffffffffff'] },
  search: 'loss<0.1 /a&b=c#?%/ status:live',
  sort: { kind: 'min', tag: 'val:loss', role: 'validation' },
  descending: false,
  tree: true,
  baseline: '0123456789ab',
  columns: ['grad/norm', 'hp:optimizer.lr', '-status'],
  goals: ['loss'],
  compared: ['0123456789ab', 'ffffffffffff'],
  meanOf: 25,
  split: true,
  fold: false,
  filter: '^train/.*\\d+$',
  pins: ['loss', 'a~b\\c', 'été/損失'],
  panels: [
    { kind: 'formula', formula: 'exp(a~b) / "x & y"' },
    { kind: 'scatter', x: { setting: 'lr~x' }, y: { kind: 'min', tag: 'a/b', role: 'validation' } },
    { kind: 'bar', value: { column: 'duration' } },
  ],
  merged: [
    ['loss', 'val_loss'],
    ['x&y', 'z=1'],
  ],
  opened: ['layers'],
  closed: ['train'],
  cards: {
    'tag:loss': { logY: true, y: [0.01, 1e3], wide: true, tall: 400, table: true },
    'tag:@pr_curves pr': { y: [0.5, 1], x: [0.25, 0.75] },
    'tag:a~log': { logY: false, table: false },
    'tag:__proto__': { wide: true },
  },
  x: 'tag',
  xTag: 'epoch',
  logX: true,
  logY: true,
  sharedY: true,
  perRow: 2,
  ignoreOutliers: false,
  smoothing: { method: 'gaussian', amount: 3.5 },
  segments: 'split',
  tooltip: 'name',
  tooltipAll: true,
  tables: true,
  group: { by: 'regex', pattern: 'lr=([0-9.e-]+)' },
  band: 'quantile',
  groupRows: false,
  colourBy: 'optimizer.lr & more',
  colourScale: 'log',
  facetBy: 'model~name',
  zoom: [-5, 1.5e9],
  pinned: [100, 200],
  inspected: 'ffffffffffff',
  inspectedTag: 'loss',
  media: 'text',
  text: { look: 'difference', since: 40, words: 'nan loss', open: { run: '0123456789ab', tag: 'a~b & <c>' } },
  viewpoint: [0.6, -1.5, 2.25, 0, -0.1],
  projector: 'run=0123456789ab&name=words',
  hparams: 'show=parallel&sort=m%3Aloss%40',
  query: 'SELECT run, "a b"\nFROM points -- 100% & #1',
  graphs: 'run=0123456789ab&open=conv1%2F',
  images: {
    tile: 340,
    actual: true,
    brightness: 1.5,
    contrast: 0.25,
    open: { run: '0123456789ab', tag: 'a~b & <c>', sample: 3 },
    beside: 'swipe',
    other: '0123456789ab',
  },
  kinds: ['scalar', 'histogram'],
  histograms: 'offset',
  profile: {
    session: '0123456789ab',
    worker: 'rank 0/&=~',
    show: 'kernels',
    group: 'input_wait',
    step: 16,
    find: 'gemm & co',
    sort: '-total_us',
    columns: ['kernels.grid', 'hlo.text'],
    rowsBy: 'family',
    calls: true,
    stepsBy: 'step number (train & more)',
    range: '3:10',
    against: '0b1c2d3e4f50',
    againstRange: '1.2s:3s',
    trend: '0123456789ab,0b1c2d3e4f50',
    trendBy: 'batch & size',
    tree: true,
    program: 'jit_step(20)',
    op: 'fusion.3 & more',
    memory: 'GPU 0 (A & B)',
    layers: 'module',
    scope: 'model/dense & more',
    minBytes: 1048576,
    turned: '3.17',
    levers: 'input=0,kernels=0.5',
    cores: 16,
    stepMs: 12.5,
    batch: 64,
    tokens: 2048,
    epochsOf: '0b1c2d3e4f50',
    request: 'predict & more',
    spans: 'of=kernel&name=gemm%3C1%3E',
    span: 1234,
    window: [1200.5, 1300.25],
    area: [1210, 1220.125],
    areaBy: 'flame',
    path: true,
    replay: 'kernels=0.5,workers=4',
    alignAt: 12,
    finding: 'slow_input',
    searched: 'gemm & co',
    tracks: 'stream 7 & more',
    folded: ['p:GPU 0 & 1', 't:3'],
    unfolded: [3, 12],
    topTracks: [7],
    trackOrder: [9, 3],
    bookmarks: [
      { window: [1200.5, 1300.25], name: 'slow ~ gemm' },
      { window: [-5, 7], name: 'b' },
    ],
    stack: 'ranks',
    openRanks: ['host a,1 rank 3', 'rank_7'],
    ranksBy: 'slow',
    asRecorded: true,
    atStep: 12,
    againstStep: 7,
    spanOf: 'rank_7',
  },
};

describe('address', () => {
  it('is short for the first visit', () => {
    expect(writeAddress(defaultView())).toBe('#scalars');
    expect(readAddress('')).toEqual(defaultView());
  });

  it('stays readable', () => {
    const view: View = { ...defaultView(), pins: ['train/loss', 'acc'], smoothing: { method: 'ema', amount: 0.6 } };
    expect(writeAddress(view)).toBe('#scalars?pins=train/loss~acc&smooth=ema:0.6');
  });

  it('reads former ids of views', () => {
    expect(readAddress('#profile?show=overview').profile.show).toBe('report');
    expect(readAddress('#profile?show=operations').profile.show).toBe('ops');
    expect(readAddress('#profile?show=constructor').profile.show).toBe('constructor');
  });

  it('keeps everything', () => {
    expect(readAddress(writeAddress(full))).toEqual(full);
    expect(new URL(writeAddress(full), 'http://localhost/p/').hash).toBe(writeAddress(full));
  });

  it('changes for every single field', () => {
    for (const key of Object.keys(full) as (keyof View)[]) {
      const view = { ...defaultView(), [key]: full[key] };
      expect(readAddress(writeAddress(view))[key], key).toEqual(full[key]);
    }
  });

  it.each([
    [{ mode: 'only', runs: [] }],
    [{ mode: 'except', runs: [] }],
    [{ mode: 'only', runs: ['0123456789ab'] }],
    [{ mode: 'auto' }],
  ] as const)('keeps the selection %o', (selection) => {
    const view = { ...defaultView(), selection: structuredClone(selection) } as View;
    expect(readAddress(writeAddress(view)).selection).toEqual(selection);
  });

  it('keeps a single pinned step, including zero', () => {
    expect(readAddress(writeAddress({ ...defaultView(), pinned: 0 })).pinned).toBe(0);
  });

  it.each([
    '#',
    '#?',
    '#scalars?',
    '#scalars?&&&=&=x&x',
    '#scalars?runs=zzz&zoom=9..1&at=NaN&smooth=ema&smooth=foo:1&x=up&sort=-&sort=best:',
    '#scalars?pins=%E0%A4%A&card=one&look=&look=a~y=..~tall=x&band=wide',
    '#scalars?__proto__=x&constructor=y&toString=z',
    '#<script>alert(1)</script>',
    '#scalars?zoom=Infinity..NaN&at=1..2..3',
  ])('ignores what makes no sense in %s', (hash) => {
    const view = readAddress(hash);
    const plain = defaultView();
    expect({ ...view, pins: [] }).toEqual({ ...plain, pins: [] });
  });

  it('limits amounts to what the server takes', () => {
    expect(readAddress('#scalars?smooth=ema:7').smoothing.amount).toBe(0.999);
    expect(readAddress('#scalars?look=loss~tall=99999').cards['tag:loss']?.tall).toBe(1200);
  });
});

it('ignores sizes and images that cannot be', () => {
  const { images } = readAddress('#media?tile=7&bright=-3&contrast=1e9&image=../x~1~tag');
  expect(images).toEqual({ ...defaultView().images, brightness: 0, contrast: 5 });
});

it('knows what changed between two addresses', () => {
  const before = writeAddress({ ...defaultView(), search: 'a', pins: ['x'] });
  const after = writeAddress({ ...defaultView(), search: 'b', pins: ['x'], tab: 'media', logY: true });
  expect(changedKeys(before, after)).toEqual(['find', 'logy', 'tab']);
  expect(changedKeys(before, before)).toEqual([]);
  const merged = (...cards: string[][]): string => writeAddress({ ...defaultView(), merged: cards });
  expect(changedKeys(merged(['a', 'b'], ['c', 'd']), merged(['a', 'b'], ['c', 'e']))).toEqual(['card']);
});

it('keeps groups by a hyperparameter', () => {
  const group = { by: 'setting' as const, setting: 'model.lr' };
  expect(readAddress(writeAddress({ ...defaultView(), group })).group).toEqual(group);
});

it('leaves out panels that cannot be drawn', () => {
  const { panels } = readAddress(
    '#scalars?panel=pie~loss&panel=bar&panel=scatter~hp:lr&panel=formula&panel=bar~points',
  );
  expect(panels).toEqual([{ kind: 'bar', value: { column: 'points' } }]);
});
