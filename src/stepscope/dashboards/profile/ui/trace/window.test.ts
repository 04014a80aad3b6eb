// The shown stretch stays inside the profile, keeps what the pointer is on, and its times are as exact as it is short.
import { describe, expect, it } from 'vitest';
import { around, moved, rulerTimes, timeText, widened, within, zoomed } from './window';

describe('the window', () => {
  it('stays inside the profile, as long as it was', () => {
    expect(within([-50, 50], 1000)).toEqual([0, 100]);
    expect(within([950, 1050], 1000)).toEqual([900, 1000]);
    expect(within([-50, 5000], 1000)).toEqual([0, 1000]);
  });

  it('never becomes shorter than what a file can tell apart', () => {
    const [from, to] = within([10, 10], 1000);
    expect(to - from).toBeGreaterThan(0.01);
    expect((from + to) / 2).toBeCloseTo(10);
  });

  it('zooms around a time that stays where it is', () => {
    const [from, to] = zoomed([100, 200], 0.5, 125, 1000);
    expect(to - from).toBe(50);
    expect((125 - from) / (to - from)).toBeCloseTo(0.25);
  });

  it('moves by a share of its length and stops at the ends', () => {
    expect(moved([100, 200], 0.5, 1000)).toEqual([150, 250]);
    expect(moved([100, 200], -5, 1000)).toEqual([0, 100]);
    expect(moved([850, 950], 5, 1000)).toEqual([900, 1000]);
  });

  it('has room at both sides of what it is about', () => {
    expect(around(400, 500, 1000, 0.5)).toEqual([350, 550]);
    const [from, to] = around(10, 10, 1000);
    expect(from).toBeLessThan(10);
    expect(to).toBeGreaterThan(10);
  });
});

describe('times', () => {
  it('have as many digits as their neighbours need', () => {
    expect(timeText(0, [0, 1e6])).toBe('0');
    expect(timeText(12_400, [0, 20_000])).toBe('12\u202fms');
    expect(timeText(12_403.8, [12_403, 12_404])).toBe('12.4038\u202fms');
    expect(timeText(2_500_000, [0, 5e6])).toBe('2.5\u202fs');
    expect(timeText(3, [0, 10])).toBe('3\u202fµs');
  });

  it('of the ruler are round and inside', () => {
    expect(rulerTimes([0, 100], 600)).toEqual([0, 20, 40, 60, 80, 100]);
    for (const time of rulerTimes([3.3, 7.9], 800)) expect(time >= 3.3 && time <= 7.9).toBe(true);
  });
});

describe('an axis of several profiles', () => {
  it('has windows within its own limits', () => {
    expect(within([-500, -400], 900, -300)).toEqual([-300, -200]);
    expect(within([0, 5000], 900, -300)).toEqual([-300, 900]);
    expect(zoomed([-100, 100], 0.5, 0, 900, -300)).toEqual([-50, 50]);
    expect(moved([-300, -200], -1, 900, -300)).toEqual([-300, -200]);
  });

  it('has times before the start of a profile', () => {
    expect(timeText(-1500, [-2000, 2000])).toBe('−1.5\u202fms');
  });
});

it('asks for as much again at both sides, and never before the start', () => {
  expect(widened([100, 150])).toEqual({ start_us: 50, end_us: 200 });
  expect(widened([10, 60])).toEqual({ start_us: 0, end_us: 110 });
  expect(widened([-300, -200])).toEqual({ start_us: 0, end_us: 100 });
});
