// A small search for tests: two learning rates with three seeds each, one run without a metric.
import type { Trials } from './answers';

export function search(): Trials {
  const seeds = [0, 1, 2, 0, 1, 2];
  const none = { display_name: '', description: '', choices: [], low: null, high: null };
  return {
    sessions: seeds.map((seed, i) => ({
      run: `run${i}`,
      name: `trial ${i} seed ${seed}`,
      status: 'finished',
      trial: '',
    })),
    available: [
      { tag: 'loss', group: '' },
      { tag: 'loss', group: 'validation' },
    ],
    groupOf: Int32Array.from([0, 0, 0, 1, 1, 1]),
    members: [
      [0, 1, 2],
      [3, 4, 5],
    ],
    hparams: [
      {
        ...none,
        name: 'lr',
        kind: 'numeric',
        words: [],
        distinct: 2,
        seed: false,
        numbers: Float64Array.from([0.1, 0.1, 0.1, 0.01, 0.01, 0.01]),
        codes: Int32Array.from(seeds, () => -1),
      },
      {
        ...none,
        name: 'optimizer',
        kind: 'text',
        words: ['adam', 'sgd'],
        distinct: 3,
        seed: false,
        numbers: Float64Array.from(seeds, () => NaN),
        codes: Int32Array.from([0, 0, 1, 1, -1, 0]),
      },
      {
        ...none,
        name: 'epochs',
        kind: 'numeric',
        words: [],
        distinct: 1,
        seed: false,
        numbers: Float64Array.from(seeds, () => 20),
        codes: Int32Array.from(seeds, () => -1),
      },
      {
        ...none,
        name: 'seed',
        kind: 'numeric',
        words: [],
        distinct: 3,
        seed: true,
        numbers: Float64Array.from(seeds),
        codes: Int32Array.from(seeds, () => -1),
      },
    ],
    metrics: [
      {
        tag: 'loss',
        group: '',
        display_name: '',
        description: '',
        goal: 'min',
        found_in: ['train'],
        values: Float64Array.from([3, 1, 2, 6, 5, NaN]),
        n: Int32Array.from([3, 2]),
        mean: Float64Array.from([2, 5.5]),
        sd: Float64Array.from([1, Math.SQRT1_2]),
        ci95: Float64Array.from([2.484, 6.353]),
      },
    ],
  };
}
