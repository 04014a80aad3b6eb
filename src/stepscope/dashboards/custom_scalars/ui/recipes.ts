// The lines that log a layout of charts, with the folder that is open filled in.

export interface Recipe {
  name: string;
  code: string;
}

export function recipes(folder: string): Recipe[] {
  // JSON's escapes are Python's too.
  const path = JSON.stringify(folder);
  return [
    {
      name: 'One chart',
      code: `from stepscope import SummaryWriter  # or torch.utils.tensorboard

writer = SummaryWriter(${path})
writer.add_custom_scalars_multilinechart(
    ["loss/train", "loss/val.*"], category="Losses", title="train and validation"
)`,
    },
    {
      name: 'Several charts',
      code: `from stepscope import SummaryWriter  # or torch.utils.tensorboard

writer = SummaryWriter(${path})
writer.add_custom_scalars({
    "Losses": {
        "train and validation": ["Multiline", ["loss/train", "loss/val.*"]],
        "with its spread": ["Margin", ["loss/mean", "loss/lower", "loss/upper"]],
    },
})`,
    },
  ];
}
