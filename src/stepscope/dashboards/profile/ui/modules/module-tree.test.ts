// The tree of modules as lines: open and closed, found by words, sorted among siblings, and columns without time left out.
import { expect, test } from 'vitest';
import type { ModuleRow } from '$api';
import { moduleLines, readPlaces, timedColumns, writePlaces } from './module-tree';

function module(path: string, host: number, device = 0): ModuleRow {
  const parts = path.split('/');
  return {
    path,
    name: parts[parts.length - 1] ?? '',
    depth: parts.length - 1,
    worker: 'worker0',
    host: '',
    rank: null,
    calls: 1,
    share: 0,
    forward: { host_us: host, host_self_us: 0, device_us: device, device_self_us: 0 },
    backward: { host_us: 0, host_self_us: 0, device_us: 0, device_self_us: 0 },
  };
}

const ROWS = [
  module('Net', 10),
  module('Net/A', 3),
  module('Net/A/Linear', 2),
  module('Net/A/Linear/Deep', 1),
  module('Net/B', 7),
  module('Loss', 20),
];
const shown = (turned: readonly number[], find = '', order: Parameters<typeof moduleLines>[3] = null): string[] =>
  moduleLines(ROWS, new Set(turned), find, order).map(({ row }) => row.path);

test('two levels are open at first, and a turn opens or closes', () => {
  expect(shown([])).toEqual(['Net', 'Net/A', 'Net/A/Linear', 'Net/B', 'Loss']);
  expect(shown([2])).toContain('Net/A/Linear/Deep');
  expect(shown([0])).toEqual(['Net', 'Loss']);
});

test('what is found is open with everything above it', () => {
  expect(shown([0], 'deep')).toEqual(['Net', 'Net/A', 'Net/A/Linear', 'Net/A/Linear/Deep']);
  expect(shown([], 'NET b')).toEqual(['Net', 'Net/B']);
  expect(shown([], 'nothing')).toEqual([]);
});

test('siblings are sorted, children stay below their parent', () => {
  const order = { key: 'forward_host_us', descending: true };
  expect(shown([], '', order)).toEqual(['Loss', 'Net', 'Net/B', 'Net/A', 'Net/A/Linear']);
});

test('lines know what holds them, and whether they are open', () => {
  const lines = moduleLines(ROWS, new Set(), '', null);
  expect(lines.map(({ parent }) => parent)).toEqual([-1, 0, 1, 0, -1]);
  expect(lines.map(({ open }) => open)).toEqual([true, true, false, undefined, undefined]);
});

test('sides without time have no column', () => {
  const keys = (rows: readonly ModuleRow[]): string[] => timedColumns(rows).map(({ key }) => key);
  expect(keys(ROWS)).toEqual(['path', 'calls', 'share', 'forward_host_us', 'forward_host_self_us']);
  expect(keys([module('Net', 1, 1)])).toContain('forward_device_self_us');
});

test('places survive the address', () => {
  expect(writePlaces(readPlaces('17.3'))).toBe('3.17');
  expect(readPlaces('')).toEqual(new Set());
});
