// The outline is around its span, at least two pixels wide, and left out where the span is not drawn.
import { describe, expect, it } from 'vitest';
import { drawing, stageOf, trackRow } from '../stage.fixture';
import { LINE } from '../track-rows';
import { outlineOverlay, type SpanPlace } from './outline';

function outlined(span: SpanPlace | null): number[][] {
  const { pen, rects } = drawing();
  outlineOverlay(span, 2).draw(pen, stageOf([trackRow(3, 100)], { top: 40 }));
  return rects;
}

describe('the outline', () => {
  it('is around its span', () => {
    expect(outlined({ track: 3, line: 1, start: 10, end: 30 })).toEqual([[9.5, 60 + LINE - 0.5, 21, LINE]]);
    expect(outlined({ track: 3, line: 0, start: 10, end: 10 })).toEqual([[9.5, 59.5, 3, LINE]]);
  });

  it('is left out where its span is not drawn', () => {
    expect(outlined({ track: 3, line: 2, start: 10, end: 30 })).toEqual([]);
    expect(outlined({ track: 4, line: 0, start: 10, end: 30 })).toEqual([]);
    expect(outlined(null)).toEqual([]);
  });
});
