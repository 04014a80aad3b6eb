// What the keys that jump do: to a step, an idle gap or the longest span, and to bookmarks.
import type { Bookmark } from '$web/state/view';
import type { GapRow, Parts, TraceStep } from '$api';
import { withBookmark } from './bookmarks';
import { besideGap, besideStep } from './jumps';
import type { KeyActs } from './keys';
import { around, type Window } from './window';

type Span = Parts['span']['answer'];

/** What the jumps need of the trace. */
export interface Jumped {
  steps(): readonly TraceStep[];
  end(): number;
  shown(): Window;
  /** The chosen span, once its details are known. */
  span(): Span | null;
  /** The longest idle gaps of the whole profile. */
  gaps(): Promise<readonly GapRow[]>;
  show(window: Window): void;
  choose(row: number): void;
  bookmarks(): readonly Bookmark[];
  keep(bookmarks: Bookmark[]): void;
  /** A window as bookmarks keep it. */
  marked(window: Window): Window;
  say(text: string): void;
}

const EDGE = 0.02;
const GAP_ROOM = 1;

export function jumpActs(trace: Jumped): Pick<KeyActs, 'step' | 'gap' | 'longest' | 'bookmark'> {
  let last: { from: number; to: number; start: number } | null = null;
  return {
    step(forward) {
      const found = besideStep(trace.steps(), trace.shown(), forward);
      if (found !== null) trace.show(around(found.start_us, found.end_us, trace.end(), EDGE));
    },
    gap(forward) {
      const [from, to] = trace.shown();
      // From the gap that was shown last, as long as the window is still that one.
      const at = last !== null && last.from === from && last.to === to ? last.start : (from + to) / 2;
      void trace.gaps().then((gaps) => {
        const found = besideGap(gaps, at, forward);
        if (found !== null) {
          const window = around(found.start_us, found.end_us, trace.end(), GAP_ROOM);
          last = { from: window[0], to: window[1], start: found.start_us };
          trace.show(window);
        } else trace.say(forward ? 'No idle gap after this' : 'No idle gap before this');
      });
    },
    longest(of) {
      const span = trace.span();
      if (span !== null) trace.choose(of === 'name' ? span.longest_row : span.longest_on_track_row);
    },
    bookmark() {
      const kept = withBookmark(trace.bookmarks(), trace.marked(trace.shown()), trace.span()?.name ?? '');
      trace.keep(kept);
      trace.say(`Bookmarked as ${kept.at(-1)?.name ?? ''}`);
    },
  };
}
