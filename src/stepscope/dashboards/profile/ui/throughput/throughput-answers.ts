// How the answers of throughput are fetched and rates are written, rates by what a run has logged, and how to record epochs.
import { getJson } from '$web/api/client';
import { addressOf } from '$web/api/routes';
import { plural } from '$web/widgets/format';
import { formatCount, formatSI, formatValue, NONE } from '$web/draw/number';
import type { LoggedEpochs, LoggedEpochsAnswer, RateRow } from '$api';
import type { Recipe } from '../recipes';

/** Most epochs that the page asks for. */
export const MOST_EPOCHS = 2000;

/** What runs have logged; without a session all of them belong. */
export function fetchLogged(session: string, run: string, signal?: AbortSignal): Promise<LoggedEpochsAnswer> {
  return getJson(addressOf('profile/epochs', { session, run }), signal);
}

/** 4 898/s, 52.4 MB/s. */
export function rateText(perSecond: number | null, unit: string): string {
  if (perSecond === null) return NONE;
  if (unit !== '') return formatSI(perSecond, `${unit}/s`);
  return `${perSecond >= 1000 ? formatCount(perSecond) : formatValue(perSecond, 3)}/s`;
}

/** Of which ranks rates are, where there are several. */
export const ranksText = (ranks: number): string =>
  ranks > 1 ? `sum over ${plural(ranks, 'rank')}, at the step time of the slowest` : '';

/** Rates of steps that a run has logged, with what the user says. */
export function loggedRates(logged: LoggedEpochs, given: number | null, tokens: number | null): RateRow[] {
  const { step_seconds: seconds, steps_logged: steps, series } = logged;
  if (seconds === null) return [];
  const tag = series.find((one) => /^step_time(\/total|\/step)?$/.test(one)) ?? 'step_time';
  const batch = given ?? logged.batch_size;
  const examples = batch === null ? null : batch / seconds;
  const rate = (name: string, title: string, value: number | null, origin: string): RateRow => ({
    rate: name,
    title,
    per_second: value,
    unit: '',
    origin,
  });
  const size = batch === null ? '' : `batch size ${formatCount(batch)} `;
  const known = given === null ? `from ${logged.batch_size_from}` : 'as entered';
  return [
    rate('steps', 'Steps', 1 / seconds, `median of ${formatCount(steps)} steps logged as ${tag}`),
    rate('examples', 'Examples', examples, batch === null ? logged.batch_size_from : `${size}${known}; one rank`),
    rate(
      'tokens',
      'Tokens',
      examples === null || tokens === null ? null : examples * tokens,
      tokens === null
        ? 'Enter the tokens per example.'
        : batch === null
          ? 'Enter the batch size.'
          : `${formatCount(tokens)} tokens per example as entered`,
    ),
  ];
}

export const EPOCH_RECIPES: readonly Recipe[] = [
  {
    name: 'Logs, with or without a profile',
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
    writer.add_scalar("epoch", epoch, step)  # at its last step; step_time/checkpoint works too`,
  },
  {
    name: 'PyTorch profile',
    code: `for epoch in range(epochs):
    with torch.profiler.record_function(f"epoch {epoch}"):
        for batch in loader:
            train(batch)
            profiler.step()
        with torch.profiler.record_function("validation"):
            validate()`,
  },
  {
    name: 'JAX profile',
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
    name: 'TensorFlow profile',
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
