// The lines that log sound, for each framework, with the folder that is open filled in.

export function recipes(folder: string): { name: string; code: string }[] {
  // JSON's escapes are Python's too.
  const path = JSON.stringify(folder);
  return [
    {
      name: 'Stepscope and PyTorch',
      code: `from stepscope import SummaryWriter  # or torch.utils.tensorboard

writer = SummaryWriter(${path})
writer.add_audio("sample", sound, step, sample_rate=16000)  # (1, length), from -1 to 1`,
    },
    {
      name: 'TensorFlow and Keras',
      code: `import tensorflow as tf

with tf.summary.create_file_writer(${path}).as_default():
    tf.summary.audio("samples", sounds, sample_rate=16000, step=step)  # (number, length, channels)`,
    },
  ];
}
