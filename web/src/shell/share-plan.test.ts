// Which charts go into a shared file, and how they are asked for.
import { expect, it } from 'vitest';
import { compile } from '../patterns/pattern';
import { defaultView } from '../state/view';
import { chartsToShare, fileRequest, USUAL_POINTS, type Shareable } from './share-plan';

const all: Shareable = {
  tags: ['acc', 'loss', 'lr', 'time'],
  pins: ['lr', 'gone'],
  highlights: ['loss', 'acc'],
  merged: [['loss', 'acc']],
  pattern: null,
  isDrawn: (tag) => tag !== 'time',
};

it('has the charts of the page in its order, and those without a drawn run not', () => {
  expect(chartsToShare(all, false)).toEqual([['lr'], ['loss', 'acc'], ['acc']]);
});

it('has only what the filter keeps, or only what is pinned', () => {
  expect(chartsToShare({ ...all, pattern: compile('acc', true).pattern }, false)).toEqual([
    ['lr'],
    ['loss', 'acc'],
    ['acc'],
  ]);
  expect(chartsToShare({ ...all, pins: [], pattern: compile('^lr$', true).pattern }, false)).toEqual([['lr']]);
  expect(chartsToShare(all, true)).toEqual([['lr']]);
});

it('asks for the charts as they are drawn', () => {
  const view = { ...defaultView(), logY: true, zoom: [1, 5] as [number, number], x: 'tag' as const };
  const chosen = { title: 't', charts: [['loss']], runs: ['a'], colours: { a: 3 }, everyPoint: false, groups: [] };
  const asked = fileRequest({ ...view, smoothing: { method: 'ema', amount: 0.6 } }, chosen);
  expect(asked).toMatchObject({ x: 'step', x_tag: null, log_y: true, range: [1, 5], points: USUAL_POINTS });
  const groups = [{ name: 'g', runs: ['a', 'b'], role: null, colour: 2 }];
  const coloured = fileRequest({ ...view, band: 'sd', colourBy: 'lr', colourScale: 'log' }, { ...chosen, groups });
  expect(coloured).toMatchObject({ groups, band: 'sd', colour_by: 'lr', colour_scale: 'log' });
  expect(asked.smoothing).toEqual({ method: 'ema', amount: 0.6 });
  expect(fileRequest({ ...view, xTag: 'epoch' }, { ...chosen, everyPoint: true })).toMatchObject({
    x: 'tag',
    x_tag: 'epoch',
    points: null,
    smoothing: null,
  });
});
