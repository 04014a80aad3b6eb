// Reads links of TensorBoard's page, so that a bookmark or a link in a document opens the same view here.
import { defaultView, SMOOTHING, type View } from './view';

/** Parts of TensorBoard's page that are parts of Media here. */
const MEDIA: ReadonlyMap<string, string> = new Map([
  ['images', 'images'],
  ['audio', 'audio'],
  ['text', 'text'],
  ['histograms', 'histograms'],
  ['distributions', 'histograms'],
  ['mesh', 'mesh'],
  ['pr_curves', 'pr_curves'],
]);
/** What stands before the '#' only in links of TensorBoard. */
const ASKED = ['pinnedCards', 'smoothing', 'tagFilter', 'runFilter'] as const;
/** The tab that only TensorBoard has. */
const TIME_SERIES = 'timeseries';
/** Time Series has cards of these kinds. */
const CARDS = ['scalar', 'histogram', 'image'];
const MOST_PINS = 100;

/** The '&' between the parts of an old dashboard's address; ours has a '?' after the tab. */
function wordsOf(hash: string): { tab: string; words: URLSearchParams } {
  const body = hash.replace(/^#/, '');
  const end = body.search(/[?&]/);
  const isOurs = end >= 0 && body.charAt(end) === '?';
  return {
    tab: end < 0 ? body : body.slice(0, end),
    words: new URLSearchParams(end < 0 || isOurs ? '' : body.slice(end + 1)),
  };
}

/** Tags of the pinned cards; what is no list of cards has none. */
function pinsIn(text: string): string[] {
  let cards: unknown;
  try {
    cards = JSON.parse(text);
  } catch {
    return [];
  }
  const tags = (Array.isArray(cards) ? cards : []).slice(0, MOST_PINS).flatMap((card: unknown) => {
    const tag = typeof card === 'object' && card !== null && 'tag' in card ? card.tag : undefined;
    return typeof tag === 'string' && tag !== '' ? [tag] : [];
  });
  return [...new Set(tags)];
}

/** The run list's search for a regular expression, in which a slash would end it. */
function runSearch(pattern: string): string {
  return pattern === '' ? '' : `/${pattern.replace(/\\.|\//g, (found) => (found === '/' ? '\\/' : found))}/`;
}

function smoothingIn(text: string): View['smoothing'] | undefined {
  const amount = Number(text);
  if (text.trim() === '' || !Number.isFinite(amount)) return undefined;
  return { method: 'ema', amount: Math.min(SMOOTHING.ema.max, Math.max(0, amount)) };
}

/** The view that a link of TensorBoard's shows; null for any other address. `query` begins with '?', `hash` with '#'. */
export function tensorboardView(query: string, hash: string): View | null {
  const asked = new URLSearchParams(query);
  const { tab, words } = wordsOf(hash);
  const isTheirs = ASKED.some((key) => asked.has(key)) || tab === TIME_SERIES || words.size > 0;
  if (!isTheirs) return null;
  const view = defaultView();
  const isSeries = tab === '' || tab === TIME_SERIES;
  const part = MEDIA.get(tab);
  if (isSeries) view.kinds = [...CARDS];
  else if (part !== undefined) [view.tab, view.media] = ['media', part];
  else if (/^[a-z][a-z0-9_-]{0,39}$/.test(tab)) view.tab = tab;
  if (tab === 'distributions') view.histograms = 'percentiles';
  view.filter = asked.get('tagFilter') ?? words.get('tagFilter') ?? '';
  view.search = runSearch(asked.get('runFilter') ?? words.get('regexInput') ?? '');
  view.pins = pinsIn(asked.get('pinnedCards') ?? '');
  view.smoothing = smoothingIn(asked.get('smoothing') ?? words.get('_smoothingWeight') ?? '') ?? view.smoothing;
  if (words.get('_ignoreYOutliers') === 'false') view.ignoreOutliers = false;
  return view;
}
