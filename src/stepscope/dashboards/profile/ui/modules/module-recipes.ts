// How modules come into a profile with each framework, as lines to paste.
import type { Recipe } from '../recipes';

export const MODULE_RECIPES: readonly Recipe[] = [
  {
    name: 'PyTorch',
    code: `with profile(with_stack=True, …) as profiler:
    …`,
  },
  {
    name: 'Lightning',
    code: `from lightning.pytorch.profilers import PyTorchProfiler

profiler = PyTorchProfiler(dirpath="runs/profile", record_module_names=True)
trainer = Trainer(profiler=profiler)`,
  },
  {
    name: 'TensorFlow and Keras',
    code: `# Keras layers are name scopes already. In other code:
with tf.name_scope("encoder"):
    …`,
  },
  {
    name: 'JAX',
    code: `# On GPUs and TPUs. On the CPU, open HLO and group by framework operation.
with jax.named_scope("encoder"):
    …`,
  },
];
