// Which functions count as compiled again.
import type { HostFunction } from '$api';

/** Functions that were traced in more than half of their calls are compiled again and again, not only at first. */
export function isRetraced({ calls, traces }: HostFunction): boolean {
  return traces > 1 && 2 * traces > calls;
}
