// A file of saved charts reads its curves from its own page.
import { expect, it } from 'vitest';
import { frameOf } from '$web/api/fixture';
import { lastOf, openFile } from './embedded';

async function zipped(frame: ArrayBuffer): Promise<string> {
  const stream = new Blob([frame]).stream().pipeThrough(new CompressionStream('gzip'));
  return btoa(String.fromCharCode(...new Uint8Array(await new Response(stream).arrayBuffer())));
}

it('has the curves that were written into it, under any name', async () => {
  const tag = 'a </b> "c" \u2028';
  const frame = frameOf([[1, 2]], ([y]) => ({ series: [{ run: 'r', tag, points: 2, columns: { y } }] }));
  const curves = await zipped(frame);
  const { title, parts } = await openFile(JSON.stringify({ title: 't', curves, groups: '' }));
  expect(title).toBe('t');
  expect([...parts.values()].map((part) => [part.run, part.tag, [...part.y]])).toEqual([['r', tag, [1, 2]]]);
});

it('has groups of each chart where they were saved', async () => {
  const curves = await zipped(frameOf([], () => ({ series: [] })));
  const groups = await zipped(
    frameOf(
      [
        [0, 1],
        [2, 3],
      ],
      ([x, mid]) => ({ charts: [{ tag: 'loss', groups: [{ name: 'g', columns: { x, mid } }] }] }),
    ),
  );
  const file = await openFile(JSON.stringify({ title: 't', curves, groups }));
  expect(file.groups.get('loss')?.map(({ name, x, mid }) => [name, [...x], [...mid]])).toEqual([['g', [0, 1], [2, 3]]]);
});

it('is no file without curves', async () => {
  await expect(openFile('')).rejects.toThrow(SyntaxError);
});

it('knows the last value also when it is not finite', () => {
  const [x, y] = [Float64Array.of(1, 2), Float64Array.of(3, 4)];
  expect(lastOf({ x, y, marks: null })).toBe(4);
  expect(lastOf({ x, y, marks: { x: Float64Array.of(1.5), kind: Uint8Array.of(1) } })).toBe(4);
  expect(lastOf({ x, y, marks: { x: Float64Array.of(3), kind: Uint8Array.of(3) } })).toBe(-Infinity);
  expect(lastOf({ x: x.slice(0, 0), y: y.slice(0, 0), marks: null })).toBeUndefined();
});
