// The lines that log histograms, for each framework, with the folder that is open filled in.

export interface Recipe {
  name: string;
  code: string;
}

export function recipes(folder: string): Recipe[] {
  // JSON's escapes are Python's too.
  const path = JSON.stringify(folder);
  return [
    {
      name: 'Stepscope and PyTorch',
      code: `from stepscope import SummaryWriter  # or torch.utils.tensorboard

writer = SummaryWriter(${path})
for name, weights in model.named_parameters():
    writer.add_histogram(name, weights, step)`,
    },
    {
      name: 'TensorFlow',
      code: `import tensorflow as tf

with tf.summary.create_file_writer(${path}).as_default():
    for weights in model.trainable_variables:
        tf.summary.histogram(weights.name, weights, step=step)`,
    },
    {
      name: 'Keras',
      code: `from stepscope.integrations.keras import TensorBoard  # or keras.callbacks

model.fit(data, callbacks=[TensorBoard(${path}, histogram_freq=1)])`,
    },
  ];
}
