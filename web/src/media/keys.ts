// Which step a key goes to, among values that all show the shared step.
import { isTyping } from '../shell/keys';

/** The run list, menus, players, charts and the ruler have arrows of their own. */
const OWN_ARROWS = 'aside, footer, [role=menu], [role=application], [popover], dialog, audio';

/** The stop that a pressed key means; null when it means something else. */
export function stopOfKey(event: KeyboardEvent, stop: number, last: number): number | null {
  const moves: Record<string, number> = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: last };
  const { target } = event;
  const elsewhere =
    target instanceof HTMLInputElement ||
    isTyping(target) ||
    (target instanceof Element && target.closest(OWN_ARROWS) !== null);
  if (event.defaultPrevented || elsewhere || event.ctrlKey || event.altKey || event.metaKey) return null;
  return moves[event.key] ?? null;
}
