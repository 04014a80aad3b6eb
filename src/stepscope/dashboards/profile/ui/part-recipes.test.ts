// Lines to paste have the option that records what a part shows, and are whole Python.
import { describe, expect, it } from 'vitest';
import { COUNTER_RECIPES } from './counters/counter-recipes';
import { PYTHON_RECIPES } from './host/python-recipes';
import { INPUT_RECIPES } from './input/input-recipes';
import { LOGGING_RECIPES, MEMORY_RECIPES } from './memory/memory-recipes';
import { MODULE_RECIPES } from './modules/module-recipes';
import type { Recipe } from './recipes';
import { ROOFLINE_RECIPES } from './roofline/roofline-recipes';

/** By part and name: what the profiler has to be told, or what the user has to call. */
const RECORDED: [string, readonly Recipe[], Record<string, string>][] = [
  [
    'counters',
    COUNTER_RECIPES,
    { 'PyTorch on CUDA': 'profiler_measure_per_kernel=True', 'JAX on CUDA': '"gpu_pm_sample_counters"' },
  ],
  ['python', PYTHON_RECIPES, { PyTorch: 'with_stack=True', JAX: 'python_tracer_level = 1' }],
  [
    'input',
    INPUT_RECIPES,
    {
      PyTorch: 'record_function("load_batch")',
      'TensorFlow and Keras': 'host_tracer_level=2',
      JAX: 'TraceAnnotation("load_batch")',
      'Custom span categories': 'input = ["load_batch"]',
    },
  ],
  [
    'memory',
    MEMORY_RECIPES,
    {
      PyTorch: 'profile_memory=True',
      JAX: 'save_device_memory_profile(',
      'TensorFlow and Keras': 'host_tracer_level=2',
    },
  ],
  ['logged memory', LOGGING_RECIPES, { 'Any framework': 'SystemMonitor(writer)' }],
  [
    'modules',
    MODULE_RECIPES,
    {
      PyTorch: 'with_stack=True',
      Lightning: 'record_module_names=True',
      'TensorFlow and Keras': 'tf.name_scope(',
      JAX: 'jax.named_scope(',
    },
  ],
  [
    'roofline',
    ROOFLINE_RECIPES,
    { PyTorch: 'record_shapes=True', TensorFlow: 'jit_compile=True', JAX: 'jax.profiler.trace(' },
  ],
];

/** The brackets that are left open, outside of comments and strings. */
function openBrackets(code: string): string {
  const plain = code.replace(/"[^"\n]*"|#.*/g, '');
  let open = '';
  for (const letter of plain) {
    if ('([{'.includes(letter)) open += letter;
    else if (')]}'.includes(letter)) {
      expect('([{'.indexOf(open.slice(-1))).toBe(')]}'.indexOf(letter));
      open = open.slice(0, -1);
    }
  }
  return open;
}

describe.each(RECORDED)('%s', (_, recipes, options) => {
  it('names each framework once', () => {
    expect(recipes.map(({ name }) => name)).toEqual(Object.keys(options));
  });

  it.each(recipes.map(({ name, code }) => [name, code]))('records it with %s', (name, code) => {
    expect(code).toContain(options[name]);
  });

  it.each(recipes.map(({ name, code }) => [name, code]))('is whole for %s', (_name, code) => {
    expect(openBrackets(code)).toBe('');
    expect(code).not.toMatch(/FOLDER|\t|[ \t]$/m);
  });
});
