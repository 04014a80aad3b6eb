// Links read as words and become arrows in the direction of time.
import { describe, expect, it } from 'vitest';
import { arrowsOf, linkWords, type SpanDetail } from './links';

const link = (kind: string, start_us: number) => ({
  kind,
  row: 1,
  name: 'k',
  track_id: 7,
  track: 's',
  line: 2,
  start_us,
  duration_us: 1,
});
const span = (kinds: string[]): SpanDetail =>
  ({
    track_id: 3,
    line: 1,
    start_us: 100,
    links: kinds.map((kind, place) => link(kind, place)),
  }) as unknown as SpanDetail;

describe('links', () => {
  it('have words for every kind', () => {
    for (const kind of ['launched_by', 'launches', 'forward_of', 'backward_of', 'producer', 'consumer', 'stream_wait'])
      expect(linkWords(kind)).not.toContain('_');
  });

  it('lead into the span or away from it', () => {
    const [into, away] = arrowsOf(span(['launched_by', 'launches']));
    expect(into).toEqual({ from: { track: 7, line: 2, time: 0 }, to: { track: 3, line: 1, time: 100 } });
    expect(away).toEqual({ from: { track: 3, line: 1, time: 100 }, to: { track: 7, line: 2, time: 1 } });
  });

  it('are not a blot', () => {
    expect(arrowsOf(span(Array.from({ length: 200 }, () => 'launches')))).toHaveLength(40);
  });
});
