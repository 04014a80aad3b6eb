// How to take a profile, as lines to paste: with Stepscope, then with the profiler of each framework.

export interface Recipe {
  name: string;
  code: string;
}

const TEMPLATES: readonly Recipe[] = [
  {
    name: 'Any framework',
    code: `import stepscope

with stepscope.profile("FOLDER/profile", steps="10-15") as profiler:
    for step, batch in enumerate(batches):
        with profiler.step(step):
            train(batch)`,
  },
  {
    name: 'PyTorch',
    code: `from torch.profiler import profile, schedule, tensorboard_trace_handler

with profile(schedule=schedule(wait=5, warmup=2, active=6),
             on_trace_ready=tensorboard_trace_handler("FOLDER/profile"),
             record_shapes=True, profile_memory=True, with_stack=True) as profiler:
    for batch in loader:
        train(batch)
        profiler.step()`,
  },
  {
    name: 'JAX',
    code: `import jax

jax.profiler.start_trace("FOLDER/profile")
for step in range(10):
    with jax.profiler.StepTraceAnnotation("train", step_num=step):
        state = train(state, next(batches))
jax.block_until_ready(state)
jax.profiler.stop_trace()`,
  },
  {
    name: 'TensorFlow and Keras',
    code: `import tensorflow as tf

tf.profiler.experimental.start("FOLDER/profile")
for step in range(10):
    with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
        train(next(batches))
tf.profiler.experimental.stop()

# or with model.fit:
tf.keras.callbacks.TensorBoard("FOLDER/profile", profile_batch=(10, 20))`,
  },
];

/** The lines for a folder; its path becomes part of a string literal. */
export function recipes(folder: string): Recipe[] {
  const path = folder.replace(/[\\"]/g, '\\$&').replace(/[\r\n]/g, ' ');
  return TEMPLATES.map(({ name, code }) => ({ name, code: code.replaceAll('FOLDER', () => path) }));
}
