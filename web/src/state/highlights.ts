// Chooses, by name, the few curves that people look at first: loss, the evaluation metric, learning rate, speed.

const PARTS = /[/_\-. ]+/;

function words(tag: string): string[] {
  return tag
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(PARTS)
    .filter(Boolean);
}

const HELD_OUT = new Set(['val', 'valid', 'validation', 'eval', 'evaluation', 'test', 'dev']);
const METRICS = [
  'accuracy',
  'acc',
  'top1',
  'f1',
  'auc',
  'auroc',
  'map',
  'miou',
  'iou',
  'bleu',
  'rouge',
  'wer',
  'reward',
  'return',
  'score',
  'perplexity',
  'ppl',
  'psnr',
  'fid',
  'mae',
  'mse',
  'rmse',
  'r2',
];

type Rate = (parts: string[]) => number;

/** Each gives a tag a mark; 0 is "not this". Shorter names win among equals. */
const KINDS: Rate[] = [
  (parts) => {
    if (!parts.includes('loss') && !parts.includes('nll') && !parts.includes('cost')) return 0;
    if (parts.some((part) => HELD_OUT.has(part))) return 0;
    return parts[parts.length - 1] === 'loss' ? (parts.includes('batch') ? 2 : 3) : 1;
  },
  (parts) => {
    const heldOut = parts.some((part) => HELD_OUT.has(part));
    const place = METRICS.findIndex((metric) => parts.includes(metric));
    if (place >= 0) return (heldOut ? 100 : 50) - place;
    return heldOut && parts.includes('loss') ? 45 : 0;
  },
  (parts) => (parts.includes('lr') || (parts.includes('learning') && parts.includes('rate')) ? 1 : 0),
  (parts) => {
    const name = parts.join(' ');
    if (/\b(step|iter|iteration|batch) (time|duration|seconds|ms)\b|\btime (per )?(step|batch|iter)\b/.test(name))
      return 3;
    if (/\b(throughput|(samples|examples|tokens|images|steps|it|iters) (per )?s(ec|econd)?)\b/.test(name)) return 2;
    return 0;
  },
];

export interface Candidate {
  name: string;
  /** In how many runs it is. */
  series: number;
  points: number;
}

/**
 * At most four tags, one of each kind, in that order. A name that few runs log gives way to one that many do, and
 * single points to curves. One that is not drawn gives way to one that is, or to none: an empty chart is no highlight.
 */
export function chooseHighlights(tags: readonly Candidate[], isDrawn: (tag: string) => boolean = () => true): string[] {
  const split = tags.map((tag) => ({ tag, parts: words(tag.name) }));
  const chosen: string[] = [];
  for (const rate of KINDS) {
    const rated = split
      .map(({ tag, parts }) => ({ tag, mark: chosen.includes(tag.name) ? 0 : rate(parts) }))
      .filter(({ mark }) => mark > 0);
    const usual = bestOf(rated);
    const best = usual === undefined || isDrawn(usual) ? usual : bestOf(rated.filter(({ tag }) => isDrawn(tag.name)));
    if (best !== undefined) chosen.push(best);
  }
  return chosen;
}

function bestOf(rated: readonly { tag: Candidate; mark: number }[]): string | undefined {
  const most = rated.reduce((series, { tag }) => Math.max(series, tag.series), 0);
  const common = rated.filter(({ tag }) => 2 * tag.series >= most);
  const curves = common.filter(({ tag }) => tag.points > tag.series);
  const [best] = (curves.length > 0 ? curves : common).sort(
    (a, b) => b.mark - a.mark || a.tag.name.length - b.tag.name.length,
  );
  return best?.tag.name;
}
