// How hardware counters come into a profile with each framework, as lines to paste.
import type { Recipe } from '../recipes';

export const COUNTER_RECIPES: readonly Recipe[] = [
  {
    name: 'PyTorch on CUDA',
    code: `from torch._C._profiler import _ExperimentalConfig

with profile(experimental_config=_ExperimentalConfig(
        profiler_metrics=["kineto__tensor_core_insts", "dram__bytes_read.sum", "dram__bytes_write.sum"],
        profiler_measure_per_kernel=True), …) as profiler:
    …`,
  },
  {
    name: 'JAX on CUDA',
    code: `options = jax.profiler.ProfileOptions()
options.advanced_configuration = {
    "gpu_pm_sample_counters": "sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
    "gpu_pm_sample_interval_us": 500,
}
jax.profiler.start_trace("runs/profile", profiler_options=options)`,
  },
];
