// How the memory of several sessions is fetched, and how a change is written.
import { bytes } from '$web/widgets/format';
import type { MemoryCompared, MemoryCompareRequest } from '$api';
import { partPath, untilRead, type Fetch, type Reading } from '../answers';

export type MemoryCompareQuestion = { session: string } & MemoryCompareRequest;

export const fetchMemoryCompare: Fetch<MemoryCompared, MemoryCompareQuestion> = async (question, signal, progress) => {
  const { session, sessions, by, limit } = question;
  type Answered = { reading: Reading | null; answer: MemoryCompared };
  const path = partPath(session, 'memory_compare', { sessions, by, limit });
  return (await untilRead<Answered>(path, signal, progress)).answer;
};

/** +12 MiB, −3 KiB, 0. */
export function changeText(change: number): string {
  if (change === 0) return '0';
  return `${change > 0 ? '+' : '−'}${bytes(Math.abs(change))}`;
}
