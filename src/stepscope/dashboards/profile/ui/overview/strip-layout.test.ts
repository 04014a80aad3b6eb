// The strip has a column for every step while there is room, keeps the longest of those that share one, and labels outliers.
import { expect, it } from 'vitest';
import { makeRank } from '../fixture';
import { axisTop, labelOutliers, layOutColumns, outlierText, outlierWords, rangeOf, type Column } from './strip-layout';

const steps = makeRank({ steps: [10, 10, 10, 30, 10, 10] }).steps;

it('gives every step a column of its own while there is room', () => {
  const columns = layOutColumns(steps, 900);
  expect(columns.map(({ step }) => step.step)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(columns[1]?.x).toBe(120);
});

it('keeps the longest of the steps that share a column', () => {
  const many = makeRank({ steps: Array.from({ length: 1000 }, (_, i) => (i === 501 ? 50 : 10)) }).steps;
  const columns = layOutColumns(many, 200);
  expect(columns).toHaveLength(100);
  expect(columns.reduce((sum, column) => sum + column.steps, 0)).toBe(1000);
  expect(columns.some(({ step }) => step.step === 502)).toBe(true);
});

it('cuts a column that would flatten all others', () => {
  expect(axisTop(steps, 10)).toBeCloseTo(31.2);
  const spiked = makeRank({ steps: [418, 17, 17, 17] }).steps;
  expect(axisTop(spiked, 17)).toBeCloseTo(17 * 2.2 * 1.04);
  expect(axisTop([], 0)).toBe(1);
});

it('labels the largest outliers that have room', () => {
  const outliers = steps.map((step) => (step.step === 4 ? { ...step, grew: 'input', grew_ms: 12.5 } : step));
  const columns = layOutColumns(outliers, 600);
  const marks = labelOutliers(columns, 10, 600, (text) => text.length * 6);
  expect(marks.map(({ text }) => text.replace(/\u202f/g, ' '))).toEqual(['4: +12.5 ms next batch']);
  const close = outliers.map((step) => ({ ...step, typical: false }));
  expect(labelOutliers(layOutColumns(close, 100), 10, 100, () => 90)).toHaveLength(1);
});

it('says what the part grew by, and what the step did beside it', () => {
  const slow = { ...steps[3], grew: 'input', grew_ms: 12.5 } as (typeof steps)[number];
  expect(outlierText(slow, 10).replace(/\u202f/g, ' ')).toBe('4: +12.5 ms next batch');
  expect(outlierWords(slow, 10).replace(/\u202f/g, ' ')).toMatch(/^\+20 ms .*, \+12\.5 ms next batch$/);
  const short = { ...steps[0], ms: 4, grew: 'input', grew_ms: -5 } as (typeof steps)[number];
  expect(outlierText(short, 10).replace(/\u202f/g, ' ')).toBe('1: \u22125 ms next batch');
});

it('has a real minus for a step that is shorter', () => {
  const short = { ...steps[0], ms: 4, grew: '', grew_ms: null } as (typeof steps)[number];
  expect(outlierText(short, 10).replace(/\u202f/g, ' ')).toBe('1: \u22126 ms');
});

it('makes a range of two columns in either order, with all steps that share them', () => {
  const between = (columns: Column[], one: number, other: number): string =>
    columns
      .flatMap((from, i) => columns.filter((_, j) => i === one && j === other).map((to) => rangeOf(from, to)))
      .join();
  const few = layOutColumns(steps, 900);
  expect(between(few, 1, 2)).toBe('2:4');
  expect(between(few, 2, 0)).toBe('1:4');
  const many = layOutColumns(makeRank({ steps: Array.from({ length: 1000 }, () => 10) }).steps, 200);
  expect(between(many, 0, 1)).toBe('1:21');
});
