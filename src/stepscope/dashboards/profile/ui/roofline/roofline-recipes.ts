// How arithmetic comes into a profile with each framework, as lines to paste.
import type { Recipe } from '../recipes';

export const ROOFLINE_RECIPES: readonly Recipe[] = [
  {
    name: 'PyTorch',
    code: `with profile(record_shapes=True, …) as profiler:
    …`,
  },
  {
    name: 'TensorFlow',
    code: `@tf.function(jit_compile=True)
def train_step(batch):
    …`,
  },
  {
    name: 'JAX',
    code: `with jax.profiler.trace("runs/profile"):
    step(state, batch)  # compiled programs contain their FLOPs`,
  },
];
