// What a chosen span is linked with: who launched it, what it launched, forward and backward, in words and as arrows.
import type { Parts } from '$api';
import type { Arrow } from './overlays/arrows';

export type SpanDetail = Parts['span']['answer'];
export type SpanLink = SpanDetail['links'][number];

const WORDS: Readonly<Record<string, string>> = {
  launched_by: 'Launched by',
  launches: 'Launches',
  forward_of: 'Forward of',
  backward_of: 'Backward of',
  producer: 'Handed over by',
  consumer: 'Handed over to',
  stream_wait: 'Stream wait',
};

export const linkWords = (kind: string): string => WORDS[kind] ?? kind.replaceAll('_', ' ');

/** Links that lead to the chosen span instead of away from it. */
const INTO = new Set(['launched_by', 'backward_of', 'producer']);

/** Most arrows of one span: more are a blot. */
const MOST_ARROWS = 40;

/** Arrows in the direction of time: from the start of the cause to the start of what it caused. */
export function arrowsOf(span: SpanDetail): Arrow[] {
  const own = { track: span.track_id, line: span.line, time: span.start_us };
  return span.links.slice(0, MOST_ARROWS).map((link) => {
    const other = { track: link.track_id, line: link.line, time: link.start_us };
    return INTO.has(link.kind) ? { from: other, to: own } : { from: own, to: other };
  });
}
