// How memory is recorded with each framework and logged without a profile, as lines to paste.
import type { Recipe } from '../recipes';

export const MEMORY_RECIPES: readonly Recipe[] = [
  {
    name: 'PyTorch',
    code: `with profile(profile_memory=True, record_shapes=True, with_stack=True, …) as profiler:
    …

# or, on CUDA, everything that the allocator did, also before it ran out of memory:
torch.cuda.memory._record_memory_history()
…
torch.cuda.memory._dump_snapshot("runs/snapshot.pickle")`,
  },
  {
    name: 'JAX',
    code: `# Profiles of GPUs have it. On any device, who holds memory now:
jax.profiler.save_device_memory_profile("runs/memory.prof")`,
  },
  {
    name: 'TensorFlow and Keras',
    code: `# Profiles of GPUs have it. On the host:
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
