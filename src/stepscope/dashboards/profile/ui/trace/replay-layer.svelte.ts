// The replay of the changes that the address names, in the window that is shown.
import { view } from '$web/state/choices.svelte';
import type { Replay } from '$api';
import { fetchPart } from '../answers';
import { Read } from '../open-profile.svelte';
import type { PathQuestion } from './path-layer.svelte';

const COLUMNS = 2048;

export class ReplayLayer {
  private readonly read = new Read(fetchPart('replay'));

  /** Null while nothing is replayed, or not known yet. */
  readonly found = $derived.by((): Replay | null =>
    view.profile.replay !== '' && this.read.shown.state === 'ready' ? this.read.shown.value : null,
  );
  /** Why there is no replay. */
  readonly problem = $derived.by((): string => {
    if (view.profile.replay === '') return '';
    if (this.read.shown.state === 'broken') return this.read.shown.reason;
    return this.found?.refused ?? '';
  });

  /** `end` is the end of the profile, null while it is not known. */
  constructor(question: () => PathQuestion, end: () => number | null) {
    let changes = '';
    $effect(() => {
      const until = end();
      const { replay, window, stepsBy, alignAt, cores, stepMs } = view.profile;
      if (replay === '' || until === null) return;
      if (changes !== replay) this.read.forget();
      changes = replay;
      const { session, worker } = question();
      const [from, to] = window ?? [0, until];
      this.read.start({
        session,
        follow: worker,
        steps: stepsBy,
        range: '',
        changes: replay,
        align: alignAt,
        cores,
        step_ms: stepMs,
        start_us: Math.max(0, from - (to - from)),
        end_us: to + (to - from),
        columns: COLUMNS,
      });
      return () => this.read.stop();
    });
  }
}
