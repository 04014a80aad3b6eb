// Frames are decoded exactly, and a broken one is refused instead of drawn.
import { describe, expect, it } from 'vitest';
import { BadFrame, decodeFrame, type ColumnSpec } from './frame';

interface Header {
  x: ColumnSpec;
  s: ColumnSpec;
  k: ColumnSpec;
}

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
const header: Header = {
  x: { dtype: 'f64', offset: 0, count: 2 },
  s: { dtype: 'i32', offset: 16, count: 2 },
  k: { dtype: 'u8', offset: 24, count: 3 },
};

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
    const frame = decodeFrame<{ x: ColumnSpec }>(encode({ x: { dtype: 'f64', offset: 1, count: 1 } }, odd));
    expect([...frame.floats(frame.header.x)]).toEqual([42]);
  });

  it('reads 64-bit integers exactly, and as doubles only while these are exact', () => {
    const signed = [-(2n ** 63n), -1n, 2n ** 53n + 1n, 2n ** 63n - 1n];
    const bytes = new Uint8Array(8 * 4 + 8 * 2 + 8 * 3);
    new BigInt64Array(bytes.buffer, 0, 4).set(signed);
    new BigUint64Array(bytes.buffer, 32, 2).set([0n, 2n ** 64n - 1n]);
    new BigInt64Array(bytes.buffer, 48, 3).set([-(2n ** 53n) + 1n, 0n, 2n ** 53n - 1n]);
    const specs = {
      signed: { dtype: 'i64', offset: 0, count: 4 },
      unsigned: { dtype: 'u64', offset: 32, count: 2 },
      safe: { dtype: 'i64', offset: 48, count: 3 },
    };
    const frame = decodeFrame<typeof specs>(encode(specs, bytes));
    expect([...frame.bigInts(frame.header.signed)]).toEqual(signed);
    expect([...frame.bigInts(frame.header.unsigned)]).toEqual([0n, 2n ** 64n - 1n]);
    expect([...frame.wholes(frame.header.safe)]).toEqual([-Number.MAX_SAFE_INTEGER, 0, Number.MAX_SAFE_INTEGER]);
    expect(() => frame.wholes(frame.header.signed)).toThrow(BadFrame);
    expect(() => frame.wholes(frame.header.unsigned)).toThrow(BadFrame);
    expect(() => frame.floats(frame.header.safe)).toThrow(BadFrame);
    expect(() => frame.bigInts({ dtype: 'f64', offset: 0, count: 1 })).toThrow(BadFrame);
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
    expect(() => frame.floats({ dtype: 'i32', offset: 0, count: 1 })).toThrow(BadFrame);
    expect(() => frame.floats({ dtype: 'f64', offset: -8, count: 1 })).toThrow(BadFrame);
  });
});
