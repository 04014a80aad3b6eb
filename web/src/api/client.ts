// Calls the HTTP API and turns its failures into one kind of error with a sentence to show.
import type { ErrorBody } from '$api';
import { decodeFrame, type Frame } from './frame';
import { addressOf, filledPath, type Address, type Answer, type Asked, type PathOf } from './routes';
import type {
  Folder,
  Health,
  Run,
  RunAbout,
  RunPatch,
  RunsAnswer,
  RunSettings,
  TableQuery,
  TableRow,
  TagsAnswer,
} from './types';

/** The server answered with an error; `message` is a sentence for the user. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
    /** Where in a query the problem is; null when it is no matter of one place. */
    readonly position: number | null = null,
  ) {
    super(message);
  }
}

/** No answer at all: the server stopped or the network is down. Retrying later may work. */
export class ServerUnreachable extends Error {
  constructor() {
    super('The server is not responding. Restart it or check the connection.');
  }
}

/** Relative to the page, so that a path prefix needs no setting. */
export function apiAddress(path: string): string {
  return new URL(`api/v1/${path}`, document.baseURI).toString();
}

async function errorOf(response: Response): Promise<ApiError> {
  const fallback = `The server answered with status ${response.status}. See its terminal for the reason.`;
  try {
    // Whatever stands between page and server may answer instead of it.
    const body = (await response.json()) as { error?: { [Key in keyof ErrorBody]?: unknown } };
    const { code, message, position } = body.error ?? {};
    return new ApiError(
      typeof code === 'string' ? code : 'unknown',
      response.status,
      typeof message === 'string' ? message : fallback,
      typeof position === 'number' ? position : null,
    );
  } catch {
    return new ApiError('unknown', response.status, fallback);
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Answers that were asked for while the code that shows them was still loading, by path; whoever asks first gets them. */
const ahead = new Map<string, Promise<Response>>();
/** Later the answer may be another one. */
const AHEAD_MS = 5000;

/** Asks now what will be asked soon, and answers it here too. */
export function askAhead<P extends PathOf<'GET', 'json'>>(address: Address<P>): Promise<Answer<'GET', P, 'json'>> {
  const asked = fetch(apiAddress(address));
  const copy = asked.then((response) => response.clone());
  ahead.set(address, copy);
  const forget = (): void => void (ahead.get(address) === copy && ahead.delete(address));
  setTimeout(forget, AHEAD_MS);
  // Whoever asks for it is told what went wrong.
  copy.catch(() => undefined);
  return asked.then((response) => response.json() as Promise<Answer<'GET', P, 'json'>>);
}

function takeAhead(path: string): Promise<Response> | undefined {
  const found = ahead.get(path);
  ahead.delete(path);
  return found;
}

async function call(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    const early = init.method === undefined ? takeAhead(path) : undefined;
    response = await (early ?? fetch(apiAddress(path), init));
    init.signal?.throwIfAborted();
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ServerUnreachable();
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

function send(method: 'POST' | 'PATCH', route: string, asked: object, signal?: AbortSignal): Promise<Response> {
  const { path, rest } = filledPath(route, asked);
  return call(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rest),
    signal,
  });
}

// What comes back is what the server declares of the route: nobody who asks can expect anything else.

export async function getJson<P extends PathOf<'GET', 'json'>>(
  address: Address<P>,
  signal?: AbortSignal,
): Promise<Answer<'GET', P, 'json'>> {
  return (await (await call(address, { signal })).json()) as Answer<'GET', P, 'json'>;
}

export async function postJson<P extends PathOf<'POST', 'json'>>(
  path: P,
  asked: Asked<'POST', P>,
  signal?: AbortSignal,
): Promise<Answer<'POST', P, 'json'>> {
  return (await (await send('POST', path, asked, signal)).json()) as Answer<'POST', P, 'json'>;
}

export async function patchJson<P extends PathOf<'PATCH', 'json'>>(
  path: P,
  asked: Asked<'PATCH', P>,
): Promise<Answer<'PATCH', P, 'json'>> {
  return (await (await send('PATCH', path, asked)).json()) as Answer<'PATCH', P, 'json'>;
}

export async function getFrame<P extends PathOf<'GET', 'frame'>>(
  address: Address<P>,
  signal?: AbortSignal,
): Promise<Frame<Answer<'GET', P, 'frame'>>> {
  return decodeFrame(await (await call(address, { signal })).arrayBuffer());
}

export async function postForFrame<P extends PathOf<'POST', 'frame'>>(
  path: P,
  asked: Asked<'POST', P>,
  signal?: AbortSignal,
): Promise<Frame<Answer<'POST', P, 'frame'>>> {
  return decodeFrame(await (await send('POST', path, asked, signal)).arrayBuffer());
}

/** A file, its type, and what the answer's headers say about it. */
export async function getFile<P extends PathOf<'GET', 'file'>>(
  address: Address<P>,
  signal?: AbortSignal,
): Promise<{ data: Blob; type: string; fact: (name: Answer<'GET', P, 'file'>) => string | null }> {
  const answer = await call(address, { signal });
  const type = answer.headers.get('content-type') ?? '';
  return { data: await answer.blob(), type, fact: (name) => answer.headers.get(name) };
}

export const fetchFolder = (): Promise<Folder> => getJson(addressOf('folder', {}));

export const fetchRuns = (fold: boolean): Promise<RunsAnswer> => getJson(addressOf('runs', { fold }));

export const fetchTags = (fold: boolean): Promise<TagsAnswer> => getJson(addressOf('tags', { fold }));

/** Of all files, or of one run's. */
export const fetchHealth = (run = ''): Promise<Health> => getJson(addressOf('health', { run }));

/** What a run's files tell about it beside their series. */
export const fetchRunAbout = (id: string, fold: boolean): Promise<RunAbout> =>
  getJson(addressOf('runs/{id}/about', { id, fold }));

/** The hyperparameters and hosts of all runs. */
export const fetchSettings = async (fold: boolean): Promise<RunSettings[]> =>
  (await getJson(addressOf('run_settings', { fold }))).runs;

export const patchRuns = async (runs: readonly string[], patch: RunPatch): Promise<Run[]> =>
  (await patchJson('runs', { runs: [...runs], ...patch })).runs;

export async function fetchTable(query: TableQuery, signal?: AbortSignal): Promise<TableRow[]> {
  return (await postJson('scalars/table', query, signal)).rows;
}
