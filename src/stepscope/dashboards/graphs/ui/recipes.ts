// The lines that log a graph, for each framework, with the folder that is open filled in.

export function recipes(folder: string): { name: string; code: string }[] {
  // JSON's escapes are Python's too.
  const path = JSON.stringify(folder);
  return [
    {
      name: 'Keras',
      code: `import keras

model.fit(x, y, callbacks=[keras.callbacks.TensorBoard(${path})])  # logs layers and operations`,
    },
    {
      name: 'TensorFlow',
      code: `import tensorflow as tf

with tf.summary.create_file_writer(${path}).as_default():
    tf.summary.graph(step.get_concrete_function(x, y).graph)  # step is a tf.function`,
    },
    {
      name: 'PyTorch',
      code: `from stepscope import SummaryWriter  # or torch.utils.tensorboard

with SummaryWriter(${path}) as writer:
    writer.add_graph(model, example_input)`,
    },
    {
      name: 'JAX',
      code: `import jax

with jax.profiler.trace(${path}):  # a profile contains the compiled programs
    train_step(state, batch)[0].block_until_ready()`,
    },
  ];
}
