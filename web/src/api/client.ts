// Calls the HTTP API and turns its failures into one kind of error with a sentence to show.
import type { Job } from './jobs';
import type { Folder, Health, Run, RunPatch, RunsAnswer, TableQuery, TableRow, TagsAnswer } from './types';

/** The server answered with an error; `message` is a sentence for the user. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
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
    const body = (await response.json()) as { error?: { code?: unknown; message?: unknown } };
    const { code, message } = body.error ?? {};
    return new ApiError(
      typeof code === 'string' ? code : 'unknown',
      response.status,
      typeof message === 'string' ? message : fallback,
    );
  } catch {
    return new ApiError('unknown', response.status, fallback);
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

async function call(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(apiAddress(path), init);
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ServerUnreachable();
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

function jsonBody(method: string, body: unknown, signal?: AbortSignal): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body), signal };
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await call(path, { signal })).json()) as T;
}

/** The answer as it is, for what is no JSON. */
export const getAnswer = (path: string, signal?: AbortSignal): Promise<Response> => call(path, { signal });

export async function postJson<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await call(path, jsonBody('POST', body, signal))).json()) as T;
}

export async function patchJson<T>(path: string, body: unknown): Promise<T> {
  return (await (await call(path, jsonBody('PATCH', body))).json()) as T;
}

export async function postForFrame(path: string, body: unknown, signal?: AbortSignal): Promise<ArrayBuffer> {
  return (await call(path, jsonBody('POST', body, signal))).arrayBuffer();
}

export const fetchFolder = (): Promise<Folder> => getJson('folder');

export const fetchRuns = (fold: boolean): Promise<RunsAnswer> => getJson(`runs?fold=${fold}`);

export const fetchTags = (fold: boolean): Promise<TagsAnswer> => getJson(`tags?fold=${fold}`);

/** Of all files, or of one run's. */
export const fetchHealth = (run = ''): Promise<Health> => getJson(`health${run === '' ? '' : `?run=${run}`}`);

/** What a run's files tell about it beside their series. */
export interface RunAbout {
  hyperparameters: Record<string, string>;
  hosts: string[];
}

export const fetchRunAbout = (id: string, fold: boolean): Promise<RunAbout> =>
  getJson(`runs/${encodeURIComponent(id)}/about?fold=${fold}`);

export const patchRun = (id: string, patch: RunPatch): Promise<Run> =>
  patchJson(`runs/${encodeURIComponent(id)}`, patch);

/** Looks at the folder now; the job may go on after the answer. */
export const reloadFolder = (): Promise<{ job: Job }> => postJson('reload', {});

export async function fetchTable(query: TableQuery, signal?: AbortSignal): Promise<TableRow[]> {
  return (await postJson<{ rows: TableRow[] }>('scalars/table', query, signal)).rows;
}
