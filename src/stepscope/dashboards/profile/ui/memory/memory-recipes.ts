// How memory is recorded with each framework and logged without a profile, as lines to paste.
import type { Recipe } from '../recipes';

export const MEMORY_RECIPES: readonly Recipe[] = [
  {
    name: 'PyTorch',
    code: `with profile(profile_memory=True, record_shapes=True, with_stack=True, …) as profiler:
    …

# or, on CUDA, the history of the allocator, also when memory ran out:
torch.cuda.memory._record_memory_history()
…
torch.cuda.memory._dump_snapshot("runs/snapshot.pickle")`,
  },
  {
    name: 'JAX',
    code: `# GPU profiles include memory. On any device, a snapshot of current allocations:
jax.profiler.save_device_memory_profile("runs/memory.prof")`,
  },
  {
    name: 'TensorFlow and Keras',
    code: `# GPU profiles include device memory. For host memory:
options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2)
tf.profiler.experimental.start("runs/profile", options)`,
  },
];

export const LOGGING_RECIPES: readonly Recipe[] = [
  {
    name: 'Any framework',
    code: `from stepscope import SummaryWriter, SystemMonitor

with SummaryWriter("runs/first") as writer:
    SystemMonitor(writer)
    …`,
  },
];
