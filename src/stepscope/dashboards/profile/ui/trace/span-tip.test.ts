// The tooltip of a span says how long it is; of many in one column, how many.
import { expect, it } from 'vitest';
import { NO_GROUP, type Picked } from './paint';
import { spanTip } from './span-tip';

const span: Picked = { row: 1, track: 0, line: 0, name: 'gemm', group: 0, start: 2000, end: 6000, count: 1 };

it('a span has its duration, its start and its group', () => {
  const tip = spanTip(span, [0, 10_000]);
  expect(tip).toMatchObject({ name: 'gemm', text: '4\u202fms' });
  expect(tip.soft).toContain('2\u202fms');
  expect(tip.soft).toContain('compute');
  expect(spanTip({ ...span, group: NO_GROUP }, [0, 10_000]).soft).not.toContain(',');
});

it('several spans in one column are counted', () => {
  expect(spanTip({ ...span, count: 12 }, [0, 10_000])).toMatchObject({
    name: 'gemm',
    soft: expect.stringContaining('12'),
  });
});
