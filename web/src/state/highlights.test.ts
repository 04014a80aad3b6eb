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
  expect(chooseHighlights(tags)).toEqual(expected);
});
