// Which value of a tag is its best: the lowest of a loss, the highest of an accuracy; the user may say otherwise.

const WORD = /[^a-z0-9]+/;
const HIGHER = new Set(
  (
    'accuracy acc top1 top5 precision recall f1 auc auroc ap map miou iou dice bleu rouge meteor reward return score psnr ssim ' +
    'r2 throughput mfu utilization bandwidth'
  ).split(' '),
);
const PER_SECOND = /(?:^|[^a-z])(?:per_?s|per_sec|per_second|\/s|it_s|fps|qps)(?:$|[^a-z])/;

/** `flipped` are tags whose best value is the other one. */
export function goalOf(tag: string, flipped: readonly string[]): 'min' | 'max' {
  const lower = tag.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
  const higher = lower.split(WORD).some((word) => HIGHER.has(word)) || PER_SECOND.test(lower);
  return higher !== flipped.includes(tag) ? 'max' : 'min';
}
