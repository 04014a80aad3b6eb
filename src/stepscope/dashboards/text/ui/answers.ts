// Names one text for the server, and asks for words in all of them.
import type { SearchAnswer } from '$api';
import { postJson } from '$web/api/client';

export const searchText = (
  words: string,
  runs: readonly string[],
  fold: boolean,
  signal: AbortSignal,
): Promise<SearchAnswer> => postJson('text/search', { words, runs, fold }, signal);
