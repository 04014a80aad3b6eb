// The lines that log precision-recall curves, with the folder that is open filled in.

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
for number, name in enumerate(classes):  # a curve for each class
    writer.add_pr_curve(f"pr/{name}", labels == number, probabilities[:, number], step)`,
    },
  ];
}
