// The lines that log meshes, for each framework, with the folder that is open filled in.

export function recipes(folder: string): { name: string; code: string }[] {
  // JSON's escapes are Python's too.
  const path = JSON.stringify(folder);
  return [
    {
      name: 'Stepscope and PyTorch',
      code: `from stepscope import SummaryWriter  # or torch.utils.tensorboard

writer = SummaryWriter(${path})
writer.add_mesh("shape", vertices, colors=colors, faces=faces, global_step=step)  # (batch, number, 3) each`,
    },
    {
      name: 'TensorFlow and Keras',
      code: `import tensorflow as tf
from tensorboard.plugins.mesh import summary as mesh_summary

with tf.summary.create_file_writer(${path}).as_default():
    mesh_summary.mesh("shape", vertices=vertices, faces=faces, colors=colors, step=step)`,
    },
  ];
}
