// How fetches of batches come into a profile with each framework, as lines to paste.
import type { Recipe } from '../recipes';

export const INPUT_RECIPES: readonly Recipe[] = [
  {
    name: 'PyTorch',
    code: `# torch's DataLoader is recorded by itself. Another loader: mark the fetch, and list its name.
with torch.profiler.record_function("load_batch"):
    batch = next(batches)`,
  },
  {
    name: 'TensorFlow and Keras',
    code: `# tf.data is recorded by itself, its stages with host_tracer_level=2 or more.
options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2)`,
  },
  {
    name: 'JAX',
    code: `# Mark the fetch, and list its name.
with jax.profiler.TraceAnnotation("load_batch"):
    batch = next(batches)`,
  },
  {
    name: 'Names of your own',
    code: `# span_kinds.toml; 'stepscope profile kinds' says where it is
input = ["load_batch"]`,
  },
];
