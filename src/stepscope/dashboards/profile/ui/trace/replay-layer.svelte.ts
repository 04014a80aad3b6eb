// The replay of the changes that the address names, in the window that is shown.
import { view } from '$web/state/choices.svelte';
import type { Replay } from '$api';
import { fetchPart } from '../answers';
import { Read } from '../open-profile.svelte';
import type { PathQuestion } from './path-layer.svelte';
import { widened, type Window } from './window';

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

  /** `window` is what is shown, null while the profile is not known. */
  constructor(question: () => PathQuestion, window: () => Window | null) {
    let changes = '';
    $effect(() => {
      const shown = window();
      const { replay, alignAt, cores, stepMs } = view.profile;
      if (replay === '' || shown === null) return;
      if (changes !== replay) this.read.forget();
      changes = replay;
      const { session, worker, steps } = question();
      this.read.start({
        session,
        follow: worker,
        steps,
        range: '',
        changes: replay,
        align: alignAt,
        cores,
        step_ms: stepMs,
        ...widened(shown),
        columns: COLUMNS,
      });
      return () => this.read.stop();
    });
  }
}
