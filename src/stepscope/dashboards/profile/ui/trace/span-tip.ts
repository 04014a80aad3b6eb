// What the tooltip of a span says: how long it is, when it begins and which group of time it belongs to.
import { plural } from '$web/widgets/format';
import { groupLabel, GROUP_ORDER } from '../groups';
import type { Tip } from './overlay';
import type { Picked } from './paint';
import { durationText, timeText, type Window } from './window';

export function spanTip(span: Picked, shown: Window): Tip {
  const length = durationText(span.end - span.start);
  if (span.count > 1)
    return { name: span.name, soft: `${plural(span.count, 'span')} within ${length}; zoom in to tell them apart` };
  const group = GROUP_ORDER[span.group];
  const words = group === undefined ? '' : `, ${groupLabel(group).toLowerCase()}`;
  return { name: span.name, text: length, soft: `from ${timeText(span.start, shown)}${words}` };
}
