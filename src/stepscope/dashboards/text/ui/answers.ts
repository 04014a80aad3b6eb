// Asks the server for one text and for words in all of them.
import { apiAddress, getJson, postJson } from '$web/api/client';
import type { SeriesRef } from '$web/api/types';
import { valueQuery, type LoggedSteps } from '$web/media/answers';

export interface TextValue {
  /** Of the tensor that the strings are from. */
  shape: number[];
  cells: string[];
  /** Of the whole value. */
  bytes: number;
  /** Whether strings are missing or shortened. */
  cut: boolean;
  /** Whether bytes were no UTF-8. */
  replaced: boolean;
}

export interface Match extends SeriesRef {
  step: number;
  wall: number | string;
  before: string;
  found: string;
  after: string;
}

export interface Matches {
  matches: Match[];
  searched: number;
  values: number;
  complete: boolean;
}

export const textQuery = (series: SeriesRef, steps: LoggedSteps, place: number, fold: boolean): string =>
  String(valueQuery(series, steps, place, fold));

export const fetchText = (query: string, signal: AbortSignal): Promise<TextValue> =>
  getJson<TextValue>(`text/value?${query}`, signal);

export const fileAddress = (query: string): string => apiAddress(`text/file?${query}`);

export const searchText = (
  words: string,
  runs: readonly string[],
  fold: boolean,
  signal: AbortSignal,
): Promise<Matches> => postJson<Matches>('text/search', { words, runs, fold }, signal);
