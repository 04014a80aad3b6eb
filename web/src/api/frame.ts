// Decodes the binary frames of columns: a JSON header, then aligned little-endian buffers.
import type { ColumnPlace } from '$api';

type Dtype = ColumnPlace['dtype'];
/** A column of that type, or none when the header does not name it. */
type Column<Type extends Dtype> = (ColumnPlace & { dtype: Type }) | undefined;

interface Arrays extends Record<Dtype, ArrayBufferView> {
  f64: Float64Array;
  f32: Float32Array;
  i64: BigInt64Array;
  u64: BigUint64Array;
  i32: Int32Array;
  u8: Uint8Array;
}

/** The columns that a header declares, as arrays of their numbers. */
export type Decoded<Columns> = {
  [Name in keyof Columns]-?: NonNullable<Columns[Name]> extends { dtype: infer Type extends Dtype }
    ? Arrays[Type]
    : never;
};

export interface Frame<Header> {
  header: Header;
  /** A copy of the column, or an empty one when there is none. */
  floats(place: Column<'f64'>): Float64Array;
  singles(place: Column<'f32'>): Float32Array;
  ints(place: Column<'i32'>): Int32Array;
  /** 64-bit integers as they are. */
  bigInts(place: Column<'i64' | 'u64'>): BigInt64Array | BigUint64Array;
  /** 64-bit integers as doubles, for drawing; a value that a double cannot hold exactly is refused. */
  wholes(place: Column<'i64' | 'u64'>): Float64Array;
  bytes(place: Column<'u8'>): Uint8Array;
}

export class BadFrame extends Error {
  constructor(detail: string) {
    super(`Could not read the server's response: ${detail}. Reload the page.`);
  }
}

const WIDTH: Record<Dtype, number> = { f64: 8, f32: 4, i64: 8, u64: 8, i32: 4, u8: 1 };

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
  const cut = (place: ColumnPlace | undefined, dtype: Dtype): ArrayBuffer => {
    if (place === undefined || place.count === undefined || place.count === 0) return new ArrayBuffer(0);
    if (place.dtype !== dtype) throw new BadFrame(`a column is ${place.dtype}, not ${dtype}`);
    if (!isCount(place.offset) || !isCount(place.count)) throw new BadFrame('a column has no valid offset');
    const from = start + place.offset;
    const to = from + place.count * WIDTH[dtype];
    if (to > buffer.byteLength) throw new BadFrame('a column is cut short');
    return buffer.slice(from, to);
  };
  const bigInts = (place: Column<'i64' | 'u64'>): BigInt64Array | BigUint64Array =>
    place?.dtype === 'u64' ? new BigUint64Array(cut(place, 'u64')) : new BigInt64Array(cut(place, 'i64'));
  return {
    header,
    bigInts,
    wholes: (place) =>
      Float64Array.from(bigInts(place), (value) => {
        const whole = Number(value);
        if (!Number.isSafeInteger(whole)) throw new BadFrame(`${value} is too large for a double`);
        return whole;
      }),
    floats: (place) => new Float64Array(cut(place, 'f64')),
    singles: (place) => new Float32Array(cut(place, 'f32')),
    ints: (place) => new Int32Array(cut(place, 'i32')),
    bytes: (place) => new Uint8Array(cut(place, 'u8')),
  };
}
