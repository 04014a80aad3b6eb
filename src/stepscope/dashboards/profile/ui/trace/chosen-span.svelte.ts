// The chosen span of one trace: as it was clicked at first, and in full once the server has answered.
import { fetchPart } from '../answers';
import { Read } from '../open-profile.svelte';
import type { SpanDetail } from './links';
import type { SpanPlace } from './overlays/outline';
import type { Picked } from './paint';
import type { TileQuestion } from './tiles';

export class ChosenSpan {
  private readonly read = new Read(fetchPart('span'));
  /** As it was clicked, until the server has told the rest; null when it was chosen elsewhere. */
  clicked = $state.raw<Picked | null>(null);

  /** Everything about it; null while that is not known. */
  readonly span = $derived.by((): SpanDetail | null => {
    const row = this.row();
    const { shown } = this.read;
    return row !== null && shown.state === 'ready' && shown.value.row === row ? shown.value : null;
  });
  /** Where it is drawn; null without a span, or while that is not known. */
  readonly place = $derived.by((): (SpanPlace & { row: number }) | null => {
    const row = this.row();
    if (row === null) return null;
    if (this.span === null) return this.clicked?.row === row ? this.clicked : null;
    const { track_id: track, line, start_us: start, duration_us: length } = this.span;
    return { row, track, line, start, end: start + length };
  });
  /** Why nothing more is known of it. */
  readonly problem = $derived.by((): string | null => {
    const { shown } = this.read;
    return shown.state === 'broken' ? shown.reason : null;
  });

  /** `row` is the chosen one in this trace, null without one. */
  constructor(
    question: () => TileQuestion,
    private readonly row: () => number | null,
  ) {
    $effect(() => {
      const row = this.row();
      if (row !== null) return this.read.follow({ ...question(), range: '', row });
    });
  }
}
