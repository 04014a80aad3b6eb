// One player at a time.
import { expect, it, vi } from 'vitest';
import { onlyPlayer } from './only-player';

const player = () => ({ pause: vi.fn() }) as unknown as HTMLAudioElement & { pause: ReturnType<typeof vi.fn> };

it('pauses the player before, and never the one that starts', () => {
  const [one, other] = [player(), player()];
  onlyPlayer(one);
  onlyPlayer(one);
  expect(one.pause).not.toHaveBeenCalled();
  onlyPlayer(other);
  expect([one.pause.mock.calls.length, other.pause.mock.calls.length]).toEqual([1, 0]);
});
