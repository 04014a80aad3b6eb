// @vitest-environment happy-dom
// One context draws all meshes: triangles, edges or points, uploaded once and freed when they are shown no more.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Mesh } from './answers';
import { MeshRenderer } from './renderer';
import { START } from './viewpoint';

type Call = [name: string, ...given: unknown[]];
const calls: Call[] = [];
const named = (name: string): unknown[][] => calls.filter(([each]) => each === name).map(([, ...given]) => given);

/** Answers every call, and writes down its name and what was given; constants are their names. */
function recorder(results: Record<string, unknown>): unknown {
  return new Proxy(
    {},
    {
      get: (_, name: string) =>
        /^[A-Z_0-9]+$/.test(name)
          ? name
          : (...given: unknown[]) => {
              calls.push([name, ...given]);
              return name in results ? results[name] : { name };
            },
    },
  );
}

let contexts: (kind: string) => unknown;
beforeEach(() => {
  calls.length = 0;
  const gl = recorder({ getProgramParameter: true });
  const pen = recorder({});
  contexts = (kind) => (kind === 'webgl2' ? gl : pen);
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation(((kind: string) => contexts(kind)) as never);
});
afterEach(() => vi.restoreAllMocks());

const triangle: Mesh = {
  vertices: Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
  faces: Int32Array.of(0, 1, 2),
  colours: new Uint8Array(0),
  fov: null,
  point_size: null,
  orthographic: false,
  colour: null,
  wireframe: false,
  lit: true,
  samples: 1,
  notices: [],
} as unknown as Mesh;

function draw(renderer: MeshRenderer, mesh: Mesh): void {
  const into = document.createElement('canvas');
  [into.width, into.height] = [200, 100];
  renderer.draw(mesh, START, into, [0.1, 0.2, 0.3]);
}

describe('a mesh', () => {
  it('is drawn as triangles with light', () => {
    draw(new MeshRenderer(), triangle);
    expect(named('drawElements')).toEqual([['TRIANGLES', 3, 'UNSIGNED_INT', 0]]);
    expect(named('uniform1i').at(-1)?.[1]).toBe(1);
    expect(named('vertexAttrib3f')).toEqual([[1, 0.1, 0.2, 0.3]]);
    expect(named('viewport')).toEqual([[0, 0, 200, 100]]);
  });

  it('is drawn as its edges', () => {
    draw(new MeshRenderer(), { ...triangle, wireframe: true });
    expect(named('drawElements')).toEqual([['LINES', 6, 'UNSIGNED_INT', 0]]);
    const edges = named('bufferData')
      .map(([, data]) => data)
      .find((data) => data instanceof Int32Array) as Int32Array;
    expect([...edges]).toEqual([0, 1, 1, 2, 2, 0]);
    expect(named('uniform1i').at(-1)?.[1]).toBe(0);
  });

  it('without faces is a cloud of points, which are larger when they are few', () => {
    const sizes = [3, 6_000, 200_000].map((count) => {
      calls.length = 0;
      draw(new MeshRenderer(), { ...triangle, faces: new Int32Array(0), vertices: new Float32Array(3 * count) });
      expect(named('drawArrays')).toEqual([['POINTS', 0, count]]);
      return named('uniform1f').at(-1)?.[1];
    });
    expect(sizes).toEqual([4, 2, 1]);
    draw(new MeshRenderer(), { ...triangle, faces: new Int32Array(0), point_size: 0.08 });
    expect(named('uniform1f').at(-1)?.[1]).toBe(8);
  });

  it('has the colour that was logged, of all or of each vertex', () => {
    draw(new MeshRenderer(), { ...triangle, colour: [255, 0, 51] } as Mesh);
    expect(named('vertexAttrib3f')).toEqual([[1, 1, 0, 0.2]]);
    calls.length = 0;
    draw(new MeshRenderer(), { ...triangle, colours: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9) });
    expect(named('vertexAttrib3f')).toEqual([]);
    expect(named('vertexAttribPointer')).toContainEqual([1, 3, 'UNSIGNED_BYTE', true, 0, 0]);
  });
});

it('uploads a mesh once, and frees it when it is forgotten', () => {
  const renderer = new MeshRenderer();
  draw(renderer, triangle);
  draw(renderer, triangle);
  expect(named('createVertexArray')).toHaveLength(1);
  renderer.forget(null);
  expect(named('deleteVertexArray')).toHaveLength(0);
  renderer.forget(triangle);
  expect([named('deleteVertexArray').length, named('deleteBuffer').length]).toEqual([1, 2]);
  draw(renderer, triangle);
  expect(named('createVertexArray')).toHaveLength(2);
});

it('copies the lower left corner of its own canvas, which only grows', () => {
  const renderer = new MeshRenderer();
  draw(renderer, triangle);
  const small = document.createElement('canvas');
  [small.width, small.height] = [50, 40];
  renderer.draw(triangle, START, small, [0, 0, 0]);
  const [, left, top, width, height, ...into] = named('drawImage').at(-1) ?? [];
  const own = Reflect.get(renderer, 'canvas') as HTMLCanvasElement;
  expect([left, top, width, height, ...into]).toEqual([0, own.height - 40, 50, 40, 0, 0, 50, 40]);
});

it('draws nothing where there is no context, or where it does not link', () => {
  contexts = () => null;
  const none = new MeshRenderer();
  draw(none, triangle);
  expect([none.works, calls.length]).toEqual([false, 0]);
  const gl = recorder({ getProgramParameter: false });
  contexts = () => gl;
  expect(new MeshRenderer().works).toBe(false);
});
