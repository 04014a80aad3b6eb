// Asks for the tables, runs queries, and makes files of their rows.
import type { QueryAnswer, QueryFileRequest, QueryRequest, TablesAnswer } from '$api';
import { getJson, postJson } from '$web/api/client';
import { isOver, type Job } from '$web/api/jobs';
import { addressOf } from '$web/api/routes';

export const fetchTables = (): Promise<TablesAnswer> => getJson(addressOf('query/tables', {}));

/** Asks until the query has ended; `told` hears which job it is. The server stops it when nobody asks any more. */
export async function runQuery(
  asked: QueryRequest,
  told: (job: Job) => void,
  signal: AbortSignal,
): Promise<QueryAnswer> {
  let answer = await postJson('query/run', asked, signal);
  while (!isOver(answer.job)) {
    told(answer.job);
    answer = await getJson(addressOf('query/run/{id}', { id: answer.job.id }), signal);
  }
  return answer;
}

export const startFile = (asked: QueryFileRequest): Promise<Job> => postJson('query/export', asked);
