// Names one text for the server, and asks for words in all of them.
import { apiAddress, postJson } from '$web/api/client';
import type { SeriesRef } from '$web/api/types';
import { valueQuery, type LoggedSteps } from '$web/media/answers';

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

export const fileAddress = (query: string): string => apiAddress(`text/file?${query}`);

export const searchText = (
  words: string,
  runs: readonly string[],
  fold: boolean,
  signal: AbortSignal,
): Promise<Matches> => postJson<Matches>('text/search', { words, runs, fold }, signal);
