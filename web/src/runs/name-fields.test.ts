// Fields that are read from the names of runs.
import { expect, it } from 'vitest';
import { fieldsOfName } from './name-fields';

const fields = (name: string): Record<string, string> => Object.fromEntries(fieldsOfName(name));

it('reads dates, models and parameters', () => {
  expect(fields('2026-03-28_resnet50_lr0.001')).toEqual({ date: '2026-03-28', model: 'resnet50', lr: '0.001' });
  expect(fields('sweep/20260328/vit_b16-bs_32-lr1e-3')).toEqual({
    date: '2026-03-28',
    model: 'vit',
    bs: '32',
    lr: '1e-3',
  });
  expect(fields('lr=3e-4,batch_size=64,seed=1/train')).toEqual({ lr: '3e-4', batch_size: '64', seed: '1' });
  expect(fields('lr0.1/seed2')).toEqual({ lr: '0.1', seed: '2' });
  expect(fields('GPT2-LR0.1')).toEqual({ model: 'GPT2', lr: '0.1' });
});

it('reads nothing where nothing is meant', () => {
  for (const name of ['run1', 'world-3x', 'embedding', 'solr5', '20261301', '12026-03-281', 'version_3', ''])
    expect(fields(name), name).toEqual({});
});

it('comes to an end for a name of any length', () => {
  const long = 'lr0.1_'.repeat(20_000);
  expect(fieldsOfName(long).get('lr')).toBe('0.1');
  expect(fieldsOfName('resnet'.repeat(20_000)).size).toBe(0);
});
