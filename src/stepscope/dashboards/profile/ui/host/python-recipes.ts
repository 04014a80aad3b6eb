// How Python functions come into a profile with each framework, as lines to paste.
import type { Recipe } from '../recipes';

export const PYTHON_RECIPES: readonly Recipe[] = [
  { name: 'PyTorch', code: 'with torch.profiler.profile(with_stack=True) as profiler:' },
  { name: 'JAX', code: 'options = jax.profiler.ProfileOptions()\noptions.python_tracer_level = 1' },
];
