// What a run's name says about it, as fields to filter, sort and group by: a date, a model, and parameters such as lr0.001 or seed=3.

/** Before the field's own name, so that it is told apart from what was logged. */
export const FROM_NAME = 'name.';

/** Short names that people write directly before a number. */
const KEYS =
  'lr|bs|wd|seed|fold|epochs|ep|batch|dropout|layers|heads|dim|hidden|depth|width|warmup|momentum|gamma|rank';
const NUMBER = String.raw`\d+(?:\.\d+)?(?:e[-+]?\d+)?`;
const BREAK = String.raw`(?:^|[/_\-, .])`;
const END = String.raw`(?=$|[/_\-, ])`;
const GLUED = new RegExp(`${BREAK}(${KEYS})[_-]?(${NUMBER})${END}`, 'gi');
const NAMED = /(?:^|[/_\-, .])([a-z][a-z0-9]*(?:_(?:size|rate|decay|steps|dim))?)=([^,/_ ]+)/gi;
const DATE = /(?<!\d)(20\d\d)([-_]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)/;
const MODEL = new RegExp(
  `${BREAK}((?:resnet|resnext|vgg|vit|bert|roberta|gpt|llama|mistral|qwen|t5|unet|efficientnet|mobilenet|convnext|densenet|swin|lstm|gru|mlp|cnn)` +
    String.raw`[a-z]{0,12}\d{0,4}(?:b\d{1,4}|[a-z])?)${END}`,
  'i',
);

/** By the field's name without `name.`; what is written twice counts as it stands last. */
export function fieldsOfName(name: string): Map<string, string> {
  const fields = new Map<string, string>();
  const date = DATE.exec(name);
  if (date !== null) fields.set('date', `${date[1]}-${date[3]}-${date[4]}`);
  const model = MODEL.exec(name);
  if (model?.[1] !== undefined) fields.set('model', model[1]);
  for (const [, key, value] of [...name.matchAll(GLUED), ...name.matchAll(NAMED)])
    if (key !== undefined && value !== undefined) fields.set(key.toLowerCase(), value);
  return fields;
}
