// The lines that log images, for each framework, with the folder that is open filled in.

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
writer.add_image("sample", image, step)  # (channels, height, width)
writer.add_images("batch", images, step)  # (number, channels, height, width)`,
    },
    {
      name: 'TensorFlow and Keras',
      code: `import tensorflow as tf

with tf.summary.create_file_writer(${path}).as_default():
    tf.summary.image("batch", images, step=step, max_outputs=8)  # (number, height, width, channels)`,
    },
  ];
}
