// The parts of a request's latency, its place as a range, and how to record requests.
import { formatValue } from '$web/draw/number';
import type { TimeGroup } from '$web/style/theme';
import { NONE, plural } from '$web/widgets/format';
import type { Inference, RequestRow, RequestTime, ServedPhase, ServedTokens } from '$api';
import type { Recipe } from '../recipes';
import { stepTime } from '../times';

/** Asked for in place of a name. */
export const EACH_STEP = '*';

export type RequestPart = Exclude<keyof RequestTime, 'latency'>;

/** In the order in which they are stacked, in the colours of the groups of time that they belong to. */
export const REQUEST_PARTS: readonly {
  part: RequestPart;
  label: string;
  /** In a sentence. */
  words: string;
  group: TimeGroup;
  definition: string;
}[] = [
  {
    part: 'queue',
    label: 'Queue',
    words: 'waiting in the queue',
    group: 'input_wait',
    definition: 'From its start to its first work: an operation, a runtime call or work on a device',
  },
  {
    part: 'host',
    label: 'Host',
    words: 'time on the host',
    group: 'host',
    definition: 'All other time',
  },
  {
    part: 'transfer',
    label: 'Transfer',
    words: 'transfer',
    group: 'copy',
    definition: 'Its copies, while none of its kernels runs',
  },
  {
    part: 'device',
    label: 'Device',
    words: 'time on the device',
    group: 'compute',
    definition: 'Its kernels and collectives; without a device, operations of 10 µs or more',
  },
];

/** The requests at percentiles of latency, lowest first. */
export function percentilesOf({ percentiles_ms: found }: Inference): {
  name: string;
  percentile: number;
  ms: RequestTime;
}[] {
  return found === null
    ? []
    : [
        { name: 'p50', percentile: 50, ms: found.p50 },
        { name: 'p95', percentile: 95, ms: found.p95 },
        { name: 'p99', percentile: 99, ms: found.p99 },
      ];
}

/** The times of a listed request. */
export const timesOf = (row: RequestRow): RequestTime => ({
  latency: row.latency_ms,
  queue: row.queue_ms,
  host: row.host_ms,
  transfer: row.transfer_ms,
  device: row.device_ms,
});

/** The time of a request as a range that the whole tab can look at, in microseconds so that nothing of it is cut off. */
export function rangeOf({ start_ms: start, latency_ms: latency }: RequestRow): string {
  return `${Math.max(0, Math.floor(start * 1000))}us:${Math.ceil((start + latency) * 1000)}us`;
}

/** The part that grew most from the median request to a slower one; null when nothing grew. */
export function grew(slow: RequestTime, median: RequestTime): RequestPart | null {
  const [most] = REQUEST_PARTS.map(({ part }) => ({ part, by: slow[part] - median[part] })).sort((a, b) => b.by - a.by);
  return most !== undefined && most.by > 0 ? most.part : null;
}

/** Whether there are any to show: where nothing is marked as a request, steps are, when they are asked for. */
export const areRequests = ({ problem, each_step: steps }: Inference, asked: string): boolean =>
  problem === '' && (!steps || asked === EACH_STEP);

/** What a token takes, with a dash where the file does not tell. */
export function tokenFactsOf(served: ServedTokens): { label: string; text: string; definition: string }[] {
  const rate = (found: number | null): string => (found === null ? NONE : `${formatValue(found, 3)} / s`);
  const time = (found: number | null): string => (found === null ? NONE : stepTime(found));
  return [
    {
      label: 'Time to first token',
      text: time(served.first_token_ms),
      definition: 'Median prefill; waiting in the queue is not recorded',
    },
    {
      label: 'Time per output token',
      text: time(served.output_token_ms),
      definition: 'Median time from one decode to the next',
    },
    {
      label: 'Output tokens',
      text: rate(served.output_tokens_per_second),
      definition: 'Tokens that decodes give to all requests',
    },
    {
      label: 'Prompt tokens',
      text: rate(served.prompt_tokens_per_second),
      definition: 'Prompt tokens of all requests',
    },
  ];
}

/** The phases that a server has batches of. */
export function phasesOf(served: ServedTokens): { name: string; phase: ServedPhase; definition: string }[] {
  const all = [
    { name: 'Prefill', phase: served.prefill, definition: 'Batches that read prompts' },
    { name: 'Decode', phase: served.decode, definition: 'Batches that give each request one token' },
    { name: 'Mixed', phase: served.mixed, definition: 'Batches that do both' },
  ];
  return all.flatMap(({ phase, ...rest }) => (phase === null ? [] : [{ ...rest, phase }]));
}

/** How many there are, how long they take, and what makes slow ones slow. */
export function requestsText(found: Inference): string {
  const { p50: half, p99: last } = found.percentiles_ms ?? {};
  if (half === undefined || last === undefined) return '';
  const one = found.each_step ? 'step' : 'request';
  if (found.requests === 1) return `One ${one}, latency ${stepTime(half.latency)}.`;
  const part = grew(last, half);
  const why = REQUEST_PARTS.find((each) => each.part === part)?.words;
  const more = why === undefined ? '' : ` The largest increase is in ${why}.`;
  return `${plural(found.requests, one)}: median latency ${stepTime(half.latency)}, p99 ${stepTime(last.latency)}.${more}`;
}

export const REQUEST_RECIPES: readonly Recipe[] = [
  {
    name: 'PyTorch',
    code: `with torch.profiler.record_function("request"):
    answer(question)`,
  },
  {
    name: 'JAX',
    code: `with jax.profiler.TraceAnnotation("request"):
    answer(question).block_until_ready()`,
  },
  {
    name: 'TensorFlow and Keras',
    code: `with tf.profiler.experimental.Trace("request"):
    answer(question)`,
  },
];
