// The overview in one or two plain sentences: what a step takes, what dominates it, and which rank is slow.
import { formatDuration, formatShare } from '$web/draw/number';
import type { TimeGroup } from '$web/style/theme';
import type { GroupTime, Report } from './answers';
import { shortWorkers } from './facts';

/** A group below this share of the step is not worth a word in the sentence. */
const WORTH_SAYING = 0.05;
/** From this share on, one group alone is the story. */
const NEARLY_ALL = 0.9;

const ON_DEVICE: Record<TimeGroup, string> = {
  compute: 'it computes',
  communication: 'it waits for communication',
  copy: 'it only copies memory',
  input_wait: 'it waits for input',
  host: 'it waits for the host',
  untraced: 'nothing was recorded',
};
const ON_CPU: Record<TimeGroup, string> = {
  compute: 'operations run',
  communication: 'it communicates',
  copy: 'it copies memory',
  input_wait: 'it waits for input',
  host: 'the host does other work',
  untraced: 'nothing was recorded',
};

export const stepTime = (ms: number): string => formatDuration(ms / 1000);

/** A share that is not nothing never reads as 0 %. */
export const shareText = (fraction: number): string =>
  fraction > 0 && fraction < 0.0005 ? '<\u202f0.1\u202f%' : formatShare(fraction);

export function overviewSentence(report: Report): string {
  const { ranks } = report;
  const first = ranks[0];
  if (first === undefined) return 'No step was found.';
  const several = ranks.length > 1;
  const whole = first.step_source.family === 'window';
  const takes = whole
    ? `The recording takes ${stepTime(report.step_ms.typical)}.`
    : `A step takes ${stepTime(report.step_ms.median)}${several ? ` on ${ranks.length} ranks` : ''}.`;
  const slow = several && report.slowest !== null ? ` ${slowWords(report, report.slowest)}` : '';
  return `${doubt(report)}${takes} ${shares(report.groups, first.cpu_only, deviceWord(first.devices[0] ?? ''))}${slow}`;
}

/** What speaks against the numbers is said before them. */
function doubt(report: Report): string {
  const reason = report.quality.find(({ code }) => code === 'weak');
  return reason === undefined ? '' : `${reason.text} `;
}

/** Ranks that wait for one another all take the same time: what tells them apart is how long they communicate. */
function slowWords(report: Report, slowest: string): string {
  const share = (worker: string): number =>
    report.ranks.find((rank) => rank.worker === worker)?.groups.find(({ group }) => group === 'communication')?.share ??
    0;
  const name = shortWorkers(report.ranks.map(({ worker }) => worker)).get(slowest) ?? slowest;
  const most = Math.max(...report.ranks.map(({ worker }) => share(worker)));
  return most - share(slowest) >= WORTH_SAYING ? `The others wait for ${name}.` : `${name} is the slowest.`;
}

/** "For 56 % of it the GPU computes, for 33 % it waits for input." */
export function shares(groups: readonly GroupTime[], cpuOnly: boolean, device: string): string {
  const words = cpuOnly ? ON_CPU : ON_DEVICE;
  const ranked = [...groups].filter(({ share }) => share > 0).sort((a, b) => b.share - a.share);
  const [most, next] = ranked;
  if (most === undefined) return 'Nothing in it was recorded.';
  const said = [most, ...(most.share < NEARLY_ALL && next !== undefined && next.share >= WORTH_SAYING ? [next] : [])];
  // The subject is named once, then it is "it".
  const subject = cpuOnly ? 'the step' : `the ${device}`;
  const clauses = said.map(({ group, share }, place) =>
    place === 0
      ? `For ${formatShare(share)} of it ${words[group].replace(/^it\b/, subject)}`
      : `for ${formatShare(share)} ${words[group]}`,
  );
  return `${clauses.join(', ')}.`;
}

function deviceWord(name: string): string {
  if (/tpu/i.test(name)) return 'TPU';
  return 'GPU';
}
