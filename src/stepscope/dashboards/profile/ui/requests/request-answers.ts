// The answer of the Requests part, as docs/http-api.md describes it, how it is fetched, and how to record requests.
import type { TimeGroup } from '$web/style/theme';
import { queryOf, untilRead, type Fetch, type Reading } from '../answers';
import type { Recipe } from '../recipes';

/** Milliseconds; the four parts sum to the latency. */
export interface RequestTime {
  latency: number;
  queue: number;
  host: number;
  transfer: number;
  device: number;
}

export interface SlowRequest {
  /** From the recording's start. */
  start_ms: number;
  thread: string;
  row: number | null;
  step: number | null;
  ms: RequestTime;
}

export interface Requests {
  request: string;
  each_step: boolean;
  count: number;
  per_second: number;
  at_once: number;
  /** Requests that run at the same time. */
  overlapping: boolean;
  mean: RequestTime;
  percentiles: { percentile: number; ms: RequestTime }[];
  /** Sorted by latency; each the slowest of as many as it stands for. */
  strip: RequestTime[];
  slowest: SlowRequest[];
}

export interface RequestsFound {
  names: { name: string; count: number }[];
  requests: Requests | null;
  problem: string;
}

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
    definition:
      'From its start until its first work begins: an operation, a call into the runtime, or work on a device',
  },
  {
    part: 'host',
    label: 'Host',
    words: 'time on the host',
    group: 'host',
    definition: 'What is none of the other parts',
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

export const fetchRequests: Fetch<RequestsFound> = async (question, signal, progress) => {
  type Answer = RequestsFound & { reading: Reading | null };
  const { worker = '', request = '' } = question;
  const query = queryOf(question, { worker, ...(request === '' ? {} : { request }) });
  return untilRead<Answer>(`profile/requests?${query}`, signal, progress);
};

/** The time of a request as a range that the whole tab can look at, in microseconds so that nothing of it is cut off. */
export function rangeOf({ start_ms: start, ms }: SlowRequest): string {
  return `${Math.max(0, Math.floor(start * 1000))}us:${Math.ceil((start + ms.latency) * 1000)}us`;
}

/** The part that grew most from the median request to a slower one; null when nothing grew. */
export function grew(slow: RequestTime, median: RequestTime): RequestPart | null {
  const [most] = REQUEST_PARTS.map(({ part }) => ({ part, by: slow[part] - median[part] })).sort((a, b) => b.by - a.by);
  return most !== undefined && most.by > 0 ? most.part : null;
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
