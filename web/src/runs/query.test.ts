// The search understands words, patterns, numbers and fields, and says what it does not understand.
import { describe, expect, it } from 'vitest';
import { aRun } from './fixture';
import type { Known } from './fields';
import { comparedFields, matcher, parseQuery, type Lookup } from './query';
import { makeRows } from './rows';

const rows = makeRows(
  [
    aRun('mnist/lr=0.1/seed1', { status: 'live' }),
    aRun('mnist/lr=0.01/seed2', { status: 'stale', note: 'Diverged at the end' }),
    aRun('cifar/big one', { display_name: 'Winner' }),
  ],
  false,
);
const losses = new Map([
  [rows[0]?.id, 0.05],
  [rows[1]?.id, 0.5],
]);
const FIELDS: Record<string, (row: (typeof rows)[number]) => Known> = {
  loss: (row) => losses.get(row.id),
  points: (row) => row.points,
  note: (row) => row.note ?? undefined,
  model: (row) => (row.name.startsWith('mnist') ? 'ResNet50' : 'vit base'),
  label: (row) => (row.name.startsWith('mnist') ? 'good, keep' : undefined),
  duration: (row) => (row.name.startsWith('mnist') ? 7200 : 60),
};
const lookup: Lookup = {
  reader: (field) => FIELDS[field],
  hasTag: (row, part) => row.name.startsWith('cifar') && 'debug/grad'.includes(part),
};
const found = (text: string): string[] => {
  return rows.filter(matcher(parseQuery(text), lookup)).map((row) => row.name.split('/')[1] ?? '');
};

describe('search', () => {
  it.each([
    ['', ['lr=0.1', 'lr=0.01', 'big one']],
    ['MNIST', ['lr=0.1', 'lr=0.01']],
    ['mnist seed2', ['lr=0.01']],
    ['-mnist', ['big one']],
    ['"big one"', ['big one']],
    ['winner', ['big one']],
    ['/seed[12]$/', ['lr=0.1', 'lr=0.01']],
    ['-/seed/', ['big one']],
    ['loss<0.1', ['lr=0.1']],
    ['loss>=0.05', ['lr=0.1', 'lr=0.01']],
    ['-loss<0.1', ['lr=0.01', 'big one']],
    ['points=10 loss!=0.05', ['lr=0.01']],
    ['lr=0.1', ['lr=0.1']],
    ['status:live', ['lr=0.1']],
    ['status:st', ['lr=0.01']],
    ['note:diverged', ['lr=0.01']],
    ['tag:debug', ['big one']],
    ['loss >= 1e-1', ['lr=0.01']],
    ['loss == 0.05', ['lr=0.1']],
    ['model == resnet50', ['lr=0.1', 'lr=0.01']],
    ['model = "ViT base"', ['big one']],
    ['model != resnet50', ['big one']],
    ['model =~ /^res.*50$/ seed2', ['lr=0.01']],
    ['-model =~ base', ['lr=0.1', 'lr=0.01']],
    ['label:keep', ['lr=0.1', 'lr=0.01']],
    ['label == good', ['lr=0.1', 'lr=0.01']],
    ['duration > 1h', ['lr=0.1', 'lr=0.01']],
    ['duration<=1min', ['big one']],
    ['missing == 1', []],
  ])('%s', (text, names) => {
    expect(found(text)).toEqual(names);
  });

  it('says what it cannot read, and searches with the rest', () => {
    const query = parseQuery('mnist /(/ ');
    expect(query.problem).toContain('not a regular expression');
    expect(query.terms).toHaveLength(1);
    expect(parseQuery('loss<low').problem).toContain('number');
  });

  it('names the tags whose values it needs', () => {
    expect(comparedFields(parseQuery('val/loss<1 x acc>=0.9'))).toEqual(['val/loss', 'acc']);
  });
});
