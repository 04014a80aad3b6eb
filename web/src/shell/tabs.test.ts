// @vitest-environment happy-dom
// Tabs are always there, dimmed without data, and the dashboards' own components are found.
import { expect, it } from 'vitest';
import type { Folder } from '../api/types';
import { mediaPart, mediaParts } from './dashboards';
import { componentOf, hasRunsAndSteps, inBar, tabsOf } from './tabs';

it('shows every tab before anything is known', () => {
  expect(tabsOf(null).map((tab) => `${tab.label} ${tab.hasData}`)).toEqual([
    'Charts false',
    'Media false',
    'Table false',
    'Profile false',
    'Graphs false',
  ]);
});

it('takes what the server tells, and adds what it knows besides', () => {
  const tabs = tabsOf({
    runs: 2,
    tabs: [
      { id: 'scalars', label: 'Charts', has_data: true },
      { id: 'hparams', label: 'Hyperparameters', has_data: false },
    ],
  } as Folder);
  expect(tabs.filter((tab) => tab.hasData).map((tab) => tab.id)).toEqual(['scalars', 'table']);
  expect(tabs[tabs.length - 1]).toMatchObject({ id: 'hparams', label: 'Hyperparameters' });
});

it('does not tell people to log what they have logged', () => {
  const tabs = tabsOf({ runs: 1, tabs: [] as Folder['tabs'] } as Folder, [{ kind: 'image' }, { kind: 'scalar' }]);
  expect(tabs.filter((tab) => tab.hasData).map((tab) => tab.id)).toEqual(['media', 'table']);
});

it('finds the component of a dashboard by its folder', () => {
  expect(componentOf('scalars')).toBeDefined();
  expect(componentOf('../scalars')).toBeUndefined();
  expect(componentOf('media')).toBeDefined();
  expect(componentOf('images')).toBeUndefined();
});

it('shows images in the tab Media and not in a tab of their own', () => {
  const tabs = tabsOf({ runs: 1, tabs: [{ id: 'images', label: 'Images', has_data: true }] } as Folder, [
    { kind: 'image' },
  ]);
  expect(tabs.map((tab) => tab.id)).toEqual(['scalars', 'media', 'table', 'profile', 'graphs']);
  expect(tabs[1]).toMatchObject({ label: 'Media', hasData: true });
});

it('shows the first kind of media that has data, unless another is asked for', () => {
  const told = [
    { id: 'images', label: 'Images', has_data: false },
    { id: 'text', label: 'Text', has_data: true },
  ];
  const parts = mediaParts({ tabs: told } as Folder);
  expect(parts[0]).toEqual({ id: 'images', label: 'Images', hasData: false });
  expect(mediaPart(parts, '')?.id).toBe(parts.some(({ id }) => id === 'text') ? 'text' : 'images');
  expect(mediaPart(parts, 'images')?.id).toBe('images');
  expect(mediaPart(parts, 'nothing')?.id).toBe(mediaPart(parts, '')?.id);
  expect(mediaPart([], 'images')).toBeUndefined();
});

it('has tabs with data and the open one in the bar, and the others behind "More"', () => {
  const tabs = tabsOf({
    runs: 1,
    tabs: [
      { id: 'custom_scalars', label: 'Custom scalars', has_data: true },
      { id: 'hparams', label: 'Hyperparameters', has_data: false },
      { id: 'projector', label: 'Projector', has_data: false },
    ],
  } as Folder);
  const { bar, more } = inBar(tabs, 'projector');
  expect(bar.slice(5).map((tab) => tab.id)).toEqual(['custom_scalars', 'projector']);
  expect(more.map((tab) => tab.id)).toEqual(['hparams']);
});

it('leaves list and ruler away where they change nothing', () => {
  expect(['scalars', 'media', 'table', 'profile'].map(hasRunsAndSteps)).toEqual([true, true, false, false]);
});
