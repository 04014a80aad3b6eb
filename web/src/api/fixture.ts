// Answers of a server for tests: frames of columns as the HTTP API sends them, and a fetch that gives them.
import type { ColumnPlace } from '$api';
import { vi } from 'vitest';

/** A frame with one column of doubles after the other; `header` gets the place of each. */
export function frameOf(
  columns: readonly (readonly number[])[],
  header: (places: ColumnPlace[]) => object,
): ArrayBuffer {
  let offset = 0;
  const places = columns.map((column): ColumnPlace => {
    const place = { dtype: 'f64' as const, offset, count: column.length };
    offset += 8 * column.length;
    return place;
  });
  const said = new TextEncoder().encode(JSON.stringify(header(places)));
  const start = Math.ceil((4 + said.length) / 8) * 8;
  const out = new Uint8Array(start + offset);
  new DataView(out.buffer).setUint32(0, said.length, true);
  out.set(said, 4);
  new Float64Array(out.buffer, start).set(columns.flat());
  return out.buffer;
}

export interface Request {
  method: string;
  /** Behind `api/v1/`, with what is asked there. */
  path: string;
  body: unknown;
  signal: AbortSignal | undefined;
}

/** Stands in for the server until `vi.unstubAllGlobals`; the list grows with every request. */
export function serve(answer: (request: Request) => BodyInit | Response | Promise<Response>): Request[] {
  const requests: Request[] = [];
  vi.stubGlobal('fetch', async (address: string, init: RequestInit = {}) => {
    const path = decodeURIComponent(address.split('api/v1/')[1] ?? address);
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    const request = { method: init.method ?? 'GET', path, body, signal: init.signal ?? undefined };
    requests.push(request);
    const given = await answer(request);
    return given instanceof Response ? given : new Response(given);
  });
  return requests;
}

/** An error as the server tells it. */
export function refusal(message: string, status = 500): Response {
  return new Response(JSON.stringify({ error: { code: 'refused', message } }), { status });
}
