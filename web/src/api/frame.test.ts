// Frames are decoded exactly, and a broken one is refused instead of drawn.
import { describe, expect, it } from 'vitest';
import type { ColumnPlace } from '$api';
import { BadFrame, decodeFrame } from './frame';

const placed = <Type extends ColumnPlace['dtype']>(
  dtype: Type,
  offset: number,
  count: number,
): ColumnPlace & { dtype: Type } => ({ dtype, offset, count });

function encode(header: object, body: Uint8Array): ArrayBuffer {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const start = Math.ceil((4 + json.length) / 8) * 8;
  const out = new Uint8Array(start + body.length);
  new DataView(out.buffer).setUint32(0, json.length, true);
  out.set(json, 4);
  out.set(body, start);
  return out.buffer;
}

const body = new Uint8Array(8 * 2 + 4 * 2 + 3);
new Float64Array(body.buffer, 0, 2).set([1.5, Number.NaN]);
new Int32Array(body.buffer, 16, 2).set([-1, 7]);
body.set([1, 2, 3], 24);
const header = { x: placed('f64', 0, 2), s: placed('i32', 16, 2), k: placed('u8', 24, 3) };
type Header = typeof header;

describe('decodeFrame', () => {
  it('reads every dtype', () => {
    const frame = decodeFrame<Header>(encode(header, body));
    expect([...frame.floats(frame.header.x)]).toEqual([1.5, Number.NaN]);
    expect([...frame.ints(frame.header.s)]).toEqual([-1, 7]);
    expect([...frame.bytes(frame.header.k)]).toEqual([1, 2, 3]);
    expect(frame.floats(undefined)).toHaveLength(0);
  });

  it('reads a column whose place is not aligned to its width', () => {
    const odd = new Uint8Array(9);
    new DataView(odd.buffer).setFloat64(1, 42, true);
    const frame = decodeFrame<Pick<Header, 'x'>>(encode({ x: placed('f64', 1, 1) }, odd));
    expect([...frame.floats(frame.header.x)]).toEqual([42]);
  });

  it('reads 64-bit integers exactly, and as doubles only while these are exact', () => {
    const signed = [-(2n ** 63n), -1n, 2n ** 53n + 1n, 2n ** 63n - 1n];
    const bytes = new Uint8Array(8 * 4 + 8 * 2 + 8 * 3);
    new BigInt64Array(bytes.buffer, 0, 4).set(signed);
    new BigUint64Array(bytes.buffer, 32, 2).set([0n, 2n ** 64n - 1n]);
    new BigInt64Array(bytes.buffer, 48, 3).set([-(2n ** 53n) + 1n, 0n, 2n ** 53n - 1n]);
    const specs = {
      signed: placed('i64', 0, 4),
      unsigned: placed('u64', 32, 2),
      safe: placed('i64', 48, 3),
    };
    const frame = decodeFrame<typeof specs>(encode(specs, bytes));
    expect([...frame.bigInts(frame.header.signed)]).toEqual(signed);
    expect([...frame.bigInts(frame.header.unsigned)]).toEqual([0n, 2n ** 64n - 1n]);
    expect([...frame.wholes(frame.header.safe)]).toEqual([-Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER]);
    expect(() => frame.wholes(frame.header.signed)).toThrow(BadFrame);
    expect(() => frame.wholes(frame.header.unsigned)).toThrow(BadFrame);
    expect(() => frame.floats(frame.header.safe as never)).toThrow(BadFrame);
    expect(() => frame.bigInts(placed('f64', 0, 1) as never)).toThrow(BadFrame);
    expect(frame.bigInts(undefined)).toHaveLength(0);
  });

  it('refuses what is cut short at any byte', () => {
    const whole = encode(header, body);
    for (let length = 0; length < whole.byteLength; length++) {
      const read = () => {
        const frame = decodeFrame<Header>(whole.slice(0, length));
        frame.floats(frame.header.x);
        frame.ints(frame.header.s);
        frame.bytes(frame.header.k);
      };
      expect(read, `cut at ${length}`).toThrow(BadFrame);
    }
  });

  it('refuses a column of another type or with a negative place', () => {
    const frame = decodeFrame<Header>(encode(header, body));
    expect(() => frame.floats(placed('i32', 0, 1) as never)).toThrow(BadFrame);
    expect(() => frame.floats(placed('f64', -8, 1))).toThrow(BadFrame);
  });
});
