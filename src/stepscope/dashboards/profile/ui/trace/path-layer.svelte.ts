// The critical path of the window, and the slack of spans that are pointed at, while that layer is shown.
import { SvelteMap } from 'svelte/reactivity';
import { view } from '$web/state/choices.svelte';
import type { PathPiece, SpanSlack } from '$api';
import { fetchPart } from '../answers';
import { Read } from '../open-profile.svelte';
import { durationText, widened, type Window } from './window';

/** Segments that are drawn at once; of more, the longest. */
const MOST_PIECES = 4000;
/** A pointer that rests this long asks for the slack of what is under it. */
const REST_MS = 60;
const MOST_KEPT = 2000;

export interface PathQuestion {
  session: string;
  worker: string;
  /** How steps are found; empty for the best way. */
  steps: string;
}

/** By how much a span may end later, as a value: "15 ms", "0, on the critical path for 4 ms". */
export function slackFact({ on_path_us: onPath, slack_us: slack }: SpanSlack): string {
  if (onPath > 0) return `0, on the critical path for ${durationText(onPath)}`;
  return slack === null ? 'unknown' : slack === 0 ? '0' : durationText(slack);
}

export const slackText = (slack: SpanSlack): string => `Slack ${slackFact(slack)}`;

export class PathLayer {
  private readonly read = new Read(fetchPart('path_trace'));
  private readonly slacks = new SvelteMap<number, SpanSlack>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private controller = new AbortController();

  readonly pieces = $derived.by((): readonly PathPiece[] =>
    view.profile.path && this.read.shown.state === 'ready' ? this.read.shown.value.rows : [],
  );
  /** Why there is no path, or what limits it. */
  readonly note = $derived.by((): string => {
    if (!view.profile.path) return '';
    if (this.read.shown.state === 'broken') return this.read.shown.reason;
    return this.read.shown.state === 'ready' ? this.read.shown.value.note : '';
  });

  /** `window` is what is shown, null while the profile is not known. */
  constructor(
    private readonly question: () => PathQuestion,
    window: () => Window | null,
  ) {
    $effect(() => {
      const shown = window();
      if (!view.profile.path || shown === null) return;
      this.read.start({ ...this.asked(), ...widened(shown), limit: MOST_PIECES });
      return () => this.read.stop();
    });
    $effect(() => {
      void [JSON.stringify(this.asked()), view.profile.path];
      return () => this.forget();
    });
  }

  /** What is known of a span's slack. */
  slackOf(row: number): SpanSlack | null {
    return view.profile.path ? (this.slacks.get(row) ?? null) : null;
  }

  /** Asks for the slack of a span, unless another one is meant by then. */
  want(row: number): void {
    clearTimeout(this.timer);
    if (!view.profile.path || this.slacks.has(row)) return;
    this.timer = setTimeout(() => void this.fetch(row), REST_MS);
  }

  private async fetch(row: number): Promise<void> {
    try {
      const found = await fetchPart('slack')({ ...this.asked(), row }, this.controller.signal, () => undefined);
      if (this.slacks.size > MOST_KEPT) this.slacks.clear();
      this.slacks.set(row, found);
    } catch {
      // The path itself says what is wrong; a tooltip without slack is still right.
    }
  }

  private forget(): void {
    clearTimeout(this.timer);
    this.controller.abort();
    this.controller = new AbortController();
    this.slacks.clear();
  }

  private asked(): { session: string; follow: string; steps: string; range: string } {
    const { session, worker, steps } = this.question();
    return { session, follow: worker, steps, range: '' };
  }
}
