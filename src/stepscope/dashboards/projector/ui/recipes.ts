// The lines that log embeddings, for each framework, with the folder that is open filled in.

export function recipes(folder: string): { name: string; code: string }[] {
  // JSON's escapes are Python's too.
  const path = JSON.stringify(folder);
  return [
    {
      name: 'Stepscope and PyTorch',
      code: `from stepscope import SummaryWriter  # or torch.utils.tensorboard

writer = SummaryWriter(${path})
writer.add_embedding(vectors, metadata=labels, label_img=images, global_step=step, tag="words")  # (points, dimensions)`,
    },
    {
      name: 'Any framework',
      code: `from stepscope import projector

projector.write_embedding(${path}, vectors, {"word": words, "count": counts}, name="words")`,
    },
    {
      name: 'TensorFlow',
      code: `import tensorflow as tf
from tensorboard.plugins import projector

tf.train.Checkpoint(words=tf.Variable(vectors)).save(${path} + "/model")
config = projector.ProjectorConfig()
config.embeddings.add().tensor_name = "words/.ATTRIBUTES/VARIABLE_VALUE"
projector.visualize_embeddings(${path}, config)`,
    },
  ];
}
