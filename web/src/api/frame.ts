// Decodes the binary frames of columns: a JSON header, then aligned little-endian buffers.

export interface ColumnSpec {
  dtype: string;
  offset: number;
  count: number;
}

export interface Frame<Header> {
  header: Header;
  /** A copy of the column, or an empty one when the header does not name it. */
  floats(spec: ColumnSpec | undefined): Float64Array;
  singles(spec: ColumnSpec | undefined): Float32Array;
  ints(spec: ColumnSpec | undefined): Int32Array;
  /** 64-bit integers as they are. */
  bigInts(spec: ColumnSpec | undefined): BigInt64Array | BigUint64Array;
  /** 64-bit integers as doubles, for drawing; a value that a double cannot hold exactly is refused. */
  wholes(spec: ColumnSpec | undefined): Float64Array;
  bytes(spec: ColumnSpec | undefined): Uint8Array;
}

export class BadFrame extends Error {
  constructor(detail: string) {
    super(`Could not read the server's response: ${detail}. Reload the page.`);
  }
}

const WIDTH: Record<string, number> = { f64: 8, f32: 4, i64: 8, u64: 8, i32: 4, u8: 1 };

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

export function decodeFrame<Header>(buffer: ArrayBuffer): Frame<Header> {
  if (buffer.byteLength < 4) throw new BadFrame('it is shorter than its length field');
  const headerBytes = new DataView(buffer).getUint32(0, true);
  if (4 + headerBytes > buffer.byteLength) throw new BadFrame('its header is cut short');
  let header: Header;
  try {
    header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, headerBytes))) as Header;
  } catch {
    throw new BadFrame('its header is not JSON');
  }
  const start = Math.ceil((4 + headerBytes) / 8) * 8;

  // Columns are copied out, so that one curve kept for long does not keep the whole answer alive.
  const cut = (spec: ColumnSpec | undefined, dtype: string): ArrayBuffer => {
    if (spec === undefined || spec.count === undefined || spec.count === 0) return new ArrayBuffer(0);
    if (spec.dtype !== dtype) throw new BadFrame(`a column is ${spec.dtype}, not ${dtype}`);
    if (!isCount(spec.offset) || !isCount(spec.count)) throw new BadFrame('a column has no valid offset');
    const from = start + spec.offset;
    const to = from + spec.count * (WIDTH[dtype] ?? 1);
    if (to > buffer.byteLength) throw new BadFrame('a column is cut short');
    return buffer.slice(from, to);
  };
  const bigInts = (spec: ColumnSpec | undefined): BigInt64Array | BigUint64Array =>
    spec?.dtype === 'u64' ? new BigUint64Array(cut(spec, 'u64')) : new BigInt64Array(cut(spec, 'i64'));
  return {
    header,
    bigInts,
    wholes: (spec) =>
      Float64Array.from(bigInts(spec), (value) => {
        const whole = Number(value);
        if (!Number.isSafeInteger(whole)) throw new BadFrame(`${value} is too large for a double`);
        return whole;
      }),
    floats: (spec) => new Float64Array(cut(spec, 'f64')),
    singles: (spec) => new Float32Array(cut(spec, 'f32')),
    ints: (spec) => new Int32Array(cut(spec, 'i32')),
    bytes: (spec) => new Uint8Array(cut(spec, 'u8')),
  };
}
