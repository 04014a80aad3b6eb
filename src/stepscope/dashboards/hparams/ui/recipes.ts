// The lines that log hyperparameters with each framework, with the folder that is open filled in.

export interface Recipe {
  name: string;
  code: string;
}

export function recipes(folder: string): Recipe[] {
  // JSON's escapes are Python's too.
  const path = JSON.stringify(folder);
  return [
    {
      name: 'Stepscope',
      code: `import stepscope

with stepscope.new_run(${path}, model="resnet50", lr=1e-3, seed=1) as run:
    run.train.add_scalar("loss", loss, step)`,
    },
    {
      name: 'PyTorch',
      code: `from torch.utils.tensorboard import SummaryWriter  # or stepscope

with SummaryWriter(${path} + "/run-1") as writer:
    writer.add_scalar("accuracy", accuracy, step)
    writer.add_hparams({"lr": 1e-3, "batch_size": 64}, {"accuracy": accuracy}, run_name=".")`,
    },
    {
      name: 'TensorFlow',
      code: `import tensorflow as tf
from tensorboard.plugins.hparams import api as hp

with tf.summary.create_file_writer(${path} + "/run-1").as_default():
    hp.hparams({"lr": 1e-3, "optimizer": "adam"})
    tf.summary.scalar("accuracy", accuracy, step=1)`,
    },
    {
      name: 'Keras',
      code: `import tensorflow as tf
from tensorboard.plugins.hparams import api as hp

folder = ${path} + "/run-1"
model.fit(data, callbacks=[tf.keras.callbacks.TensorBoard(folder), hp.KerasCallback(folder, {"lr": 1e-3})])`,
    },
  ];
}
