// The first row of charts is what people look for first, whatever the framework calls it.
import { expect, it } from 'vitest';
import { chooseHighlights } from './highlights';

it.each([
  [
    ['loss', 'accuracy', 'learning_rate', 'perf/step_time', 'val/loss', 'val/accuracy', 'grad/norm'],
    ['loss', 'val/accuracy', 'learning_rate', 'perf/step_time'],
  ],
  [
    ['epoch_loss', 'epoch_accuracy', 'epoch_learning_rate', 'evaluation_loss_vs_iterations', 'batch_loss'],
    ['epoch_loss', 'epoch_accuracy', 'epoch_learning_rate'],
  ],
  [
    ['train/loss', 'eval/loss', 'train/lr', 'train/samples_per_second'],
    ['train/loss', 'eval/loss', 'train/lr', 'train/samples_per_second'],
  ],
  [['trainLoss', 'rollout/ep_rew_mean', 'time/fps'], ['trainLoss']],
  [['weights/a', 'classroom'], []],
])('%o', (tags, expected) => {
  expect(chooseHighlights(tags.map((name) => ({ name, series: 1, points: 10 })))).toEqual(expected);
});

it('leaves a tag that no shown run has for one that they have, or for none', () => {
  const tags = ['loss', 'pretrain/loss', 'accuracy', 'lr'].map((name) => ({ name, series: 1, points: 10 }));
  const drawn = (...names: string[]) => chooseHighlights(tags, (tag) => names.includes(tag));
  expect(drawn('pretrain/loss', 'lr')).toEqual(['pretrain/loss', 'lr']);
  expect(drawn('loss', 'pretrain/loss')).toEqual(['loss']);
  expect(drawn()).toEqual([]);
});

it('prefers what most runs log, and curves to single points', () => {
  const tags = [
    { name: 'loss', series: 2, points: 100 },
    { name: 'loss/train', series: 9, points: 900 },
    { name: 'evaluation_accuracy', series: 9, points: 9 },
    { name: 'acc/val', series: 9, points: 90 },
  ];
  expect(chooseHighlights(tags)).toEqual(['loss/train', 'acc/val']);
});
