// The stretch of time on screen: it follows the address, and the address follows it a moment later.
import { untrack } from 'svelte';
import { view } from '$web/state/choices.svelte';
import { inNanoseconds, within, type TimeAxis, type Window } from './window';

const WRITE_AFTER_MS = 250;

const same = (one: Window | null | undefined, other: Window | null): boolean =>
  one === other || (one?.[0] === other?.[0] && one?.[1] === other?.[1] && one !== undefined);

export class ShownWindow implements TimeAxis {
  current = $state.raw<Window>([0, 1]);
  private written: Window | null | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `first` is what an address without a window shows; `end` is the end of the profile. */
  constructor(
    private readonly first: () => Window,
    private readonly end: () => number,
  ) {
    // An address that somebody else changed is followed at once.
    $effect(() => {
      const asked = view.profile.window;
      untrack(() => {
        if (same(this.written, asked)) return;
        this.written = asked;
        this.current = asked === null ? this.first() : within(asked, this.end());
      });
    });
    $effect(() => () => clearTimeout(this.timer));
  }

  get limits(): Window {
    return [0, Math.max(this.end(), 1e-3)];
  }

  show(wanted: Window): void {
    this.current = wanted;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), WRITE_AFTER_MS);
  }

  own(marked: Window): Window {
    return marked;
  }

  marked(own: Window): Window {
    return own;
  }

  private write(): void {
    const [first, now] = [inNanoseconds(this.first()), inNanoseconds(this.current)];
    this.written = same(first, now) ? null : now;
    view.profile.window = this.written === null ? null : now;
  }
}
