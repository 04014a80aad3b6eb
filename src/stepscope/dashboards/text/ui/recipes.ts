// The lines that log text, for each framework, with the folder that is open filled in.

export function recipes(folder: string): { name: string; code: string }[] {
  // JSON's escapes are Python's too.
  const path = JSON.stringify(folder);
  return [
    {
      name: 'Stepscope and PyTorch',
      code: `from stepscope import SummaryWriter  # or torch.utils.tensorboard

writer = SummaryWriter(${path})
writer.add_text("notes", "**lr** halved, see $\\\\eta_t$", step)  # Markdown`,
    },
    {
      name: 'TensorFlow and Keras',
      code: `import tensorflow as tf

with tf.summary.create_file_writer(${path}).as_default():
    tf.summary.text("samples", ["first", "second"], step=step)  # a table`,
    },
  ];
}
