// The answers of the Throughput part, as docs/http-api.md describes them, how they are fetched, and how to record epochs.
import { getJson } from '$web/api/client';
import { formatCount, formatSI, formatValue, NONE } from '$web/draw/number';
import { queryOf, sizeWords, untilRead, type Fetch, type Reading } from '../answers';
import type { Recipe } from '../recipes';

export interface Rate {
  rate: string;
  title: string;
  per_second: number | null;
  /** `B` for bytes, else empty. */
  unit: string;
  /** How it is known, or why it is not. */
  origin: string;
}

/** Seconds; the parts sum to the epoch, and unknown is null. */
export interface Epoch {
  epoch: number;
  steps: number;
  seconds: number;
  first_step: number | null;
  train: number | null;
  validation: number | null;
  checkpoint: number | null;
  between: number | null;
  examples_per_second: number | null;
}

export interface ThroughputFound {
  has_steps: boolean;
  step_ms: number;
  ranks: number;
  batch: number | null;
  batch_from: string;
  rates: Rate[];
  epochs: Epoch[];
  epochs_total: number;
}

export interface LoggedRun {
  run: string;
  run_name: string;
  /** Whether it belongs to the session. */
  near: boolean;
}

export interface Logged {
  run: string;
  run_name: string;
  series: string[];
  epochs: Epoch[];
  epochs_total: number;
  /** The median of the steps that the run has logged. */
  step_seconds: number | null;
  steps_logged: number;
  /** By the run's hyperparameters; null when they do not tell. */
  batch: number | null;
  /** Which of them, or why not. */
  batch_from: string;
  note: string;
}

export interface LoggedAnswer {
  runs: LoggedRun[];
  total: number;
  logged: Logged | null;
}

export const fetchThroughput: Fetch<ThroughputFound> = async (question, signal, progress) => {
  type Answer = { reading: Reading | null; throughput: ThroughputFound };
  const query = queryOf(question, sizeWords(question));
  return (await untilRead<Answer>(`profile/throughput?${query}`, signal, progress)).throughput;
};

/** What runs have logged; without a session all of them belong. */
export function fetchLogged(session: string, run: string, signal?: AbortSignal): Promise<LoggedAnswer> {
  const query = new URLSearchParams({ ...(session === '' ? {} : { session }), ...(run === '' ? {} : { run }) });
  return getJson<LoggedAnswer>(`profile/epochs?${query}`, signal);
}

/** 4 898/s, 52.4 MB/s. */
export function rateText(perSecond: number | null, unit: string): string {
  if (perSecond === null) return NONE;
  if (unit !== '') return formatSI(perSecond, `${unit}/s`);
  return `${perSecond >= 1000 ? formatCount(perSecond) : formatValue(perSecond, 3)}/s`;
}

/** Rates of steps that a run has logged, with what the user says. */
export function loggedRates(logged: Logged, given: number | null, tokens: number | null): Rate[] {
  const { step_seconds: seconds, steps_logged: steps, series } = logged;
  if (seconds === null) return [];
  const tag = series.find((one) => /^step_time(\/total|\/step)?$/.test(one)) ?? 'step_time';
  const batch = given ?? logged.batch;
  const examples = batch === null ? null : batch / seconds;
  const rate = (name: string, title: string, value: number | null, origin: string): Rate => ({
    rate: name,
    title,
    per_second: value,
    unit: '',
    origin,
  });
  const size = batch === null ? '' : `${formatCount(batch)} in a batch, `;
  const known = given === null ? `from ${logged.batch_from}` : 'as you say';
  return [
    rate('steps', 'Steps', 1 / seconds, `the median of ${formatCount(steps)} steps logged as ${tag}`),
    rate('examples', 'Examples', examples, batch === null ? logged.batch_from : `${size}${known}; of one rank`),
    rate(
      'tokens',
      'Tokens',
      examples === null || tokens === null ? null : examples * tokens,
      tokens === null
        ? 'How many are in an example, only you know.'
        : batch === null
          ? 'These need the size of a batch.'
          : `${formatCount(tokens)} in an example, as you say`,
    ),
  ];
}

export const EPOCH_RECIPES: readonly Recipe[] = [
  {
    name: 'In the log, with or without a profile',
    code: `# Keras: stepscope.integrations.keras.StepscopeCallback logs epochs itself.
for epoch in range(epochs):
    for batch in loader:
        began = time.perf_counter()
        train(batch)
        step += 1
        writer.add_scalar("step_time/total", time.perf_counter() - began, step)
    began = time.perf_counter()
    validate()
    writer.add_scalar("step_time/validation", time.perf_counter() - began, step)
    writer.add_scalar("epoch", epoch, step)  # its last step; step_time/checkpoint is known too`,
  },
  {
    name: 'PyTorch, in the recording',
    code: `for epoch in range(epochs):
    with torch.profiler.record_function(f"epoch {epoch}"):
        for batch in loader:
            train(batch)
            profiler.step()
        with torch.profiler.record_function("validation"):
            validate()`,
  },
  {
    name: 'JAX, in the recording',
    code: `for epoch in range(epochs):
    with jax.profiler.TraceAnnotation(f"epoch {epoch}"):
        for batch in loader:
            with jax.profiler.StepTraceAnnotation("train", step_num=step):
                train(batch)
            step += 1
        with jax.profiler.TraceAnnotation("validation"):
            validate()`,
  },
  {
    name: 'TensorFlow, in the recording',
    code: `for epoch in range(epochs):
    with tf.profiler.experimental.Trace(f"epoch {epoch}"):
        for batch in loader:
            with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
                train(batch)
            step += 1
        with tf.profiler.experimental.Trace("validation"):
            validate()`,
  },
];
