// How fetches of batches come into a profile with each framework, as lines to paste.
import type { Recipe } from '../recipes';

export const INPUT_RECIPES: readonly Recipe[] = [
  {
    name: 'PyTorch',
    code: `# torch's DataLoader is recorded automatically. For another loader, annotate the fetch and list its name below.
with torch.profiler.record_function("load_batch"):
    batch = next(batches)`,
  },
  {
    name: 'TensorFlow and Keras',
    code: `# tf.data is recorded automatically; its stages need host_tracer_level=2 or more.
options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2)`,
  },
  {
    name: 'JAX',
    code: `# Annotate the fetch and list its name below.
with jax.profiler.TraceAnnotation("load_batch"):
    batch = next(batches)`,
  },
  {
    name: 'Custom span categories',
    code: `# In span_kinds.toml; 'stepscope profile kinds' prints its path.
input = ["load_batch"]`,
  },
];
