// The idle gaps of a trace with their causes: those of the window, and the longest of the whole profile when a key asks for them.
import type { GapRow } from '$api';
import { fetchPart } from '../answers';
import { Read } from '../open-profile.svelte';
import type { PathQuestion } from './path-layer.svelte';
import { widened, type Window } from './window';

/** Longest gaps that are drawn; of more, the others would be narrower than a pixel. */
const MOST_GAPS = 3000;

export class GapLayer {
  private readonly read = new Read(fetchPart('gaps'));
  private whole: { of: string; rows: Promise<readonly GapRow[]> } | null = null;

  readonly rows = $derived.by((): readonly GapRow[] =>
    this.read.shown.state === 'ready' ? this.read.shown.value.rows : [],
  );

  /** `window` is what is shown, null while the profile is not known. */
  constructor(
    private readonly question: () => PathQuestion,
    window: () => Window | null,
  ) {
    $effect(() => {
      const shown = window();
      if (shown === null) return;
      // What was there stays until the new answer has come.
      this.read.start({ ...this.question(), range: '', ...widened(shown), limit: MOST_GAPS });
      return () => this.read.stop();
    });
  }

  /** The longest gaps until the end of the profile. */
  all(end: number): Promise<readonly GapRow[]> {
    const question = this.question();
    const key = JSON.stringify(question);
    if (this.whole?.of !== key) {
      const asked = { ...question, range: '', start_us: 0, end_us: end, limit: MOST_GAPS };
      const rows = fetchPart('gaps')(asked, new AbortController().signal, () => undefined);
      this.whole = { of: key, rows: rows.then((answer) => answer.rows).catch(() => []) };
    }
    return this.whole.rows;
  }
}
