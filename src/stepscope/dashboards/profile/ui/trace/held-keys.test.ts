// A held key acts once a frame for as long as it is held, and only the last one does.
import { beforeEach, expect, it, vi } from 'vitest';
import { HeldKeys } from './held-keys';

let waiting: ((now: number) => void) | null = null;
const frames = {
  request: (next: (now: number) => void): number => {
    waiting = next;
    return 1;
  },
  cancel: (): void => void (waiting = null),
};
const draw = (now: number): void => waiting?.(now);
const go = vi.fn();
let keys: HeldKeys;

beforeEach(() => {
  go.mockClear();
  waiting = null;
  keys = new HeldKeys(go, frames);
});

it('goes on from frame to frame, however often the keyboard repeats', () => {
  keys.hold('d');
  draw(1000);
  keys.hold('d');
  draw(1016);
  draw(1050);
  expect(go.mock.calls).toEqual([
    ['d', 0.016],
    ['d', 0.034],
  ]);
});

it('ends when the key is let go, and not with another one', () => {
  keys.hold('d');
  draw(1000);
  keys.release('a');
  draw(1016);
  keys.release('d');
  draw(1032);
  expect(go).toHaveBeenCalledTimes(1);
});

it('another key takes over, and a pause of the browser is no leap', () => {
  keys.hold('d');
  draw(1000);
  keys.hold('w');
  draw(1016);
  draw(9000);
  expect(go.mock.calls).toEqual([['w', 0.1]]);
});
