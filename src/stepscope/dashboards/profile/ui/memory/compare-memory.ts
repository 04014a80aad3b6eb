// How the memory of several sessions is fetched, and how a change is written.
import { bytes } from '$web/widgets/format';
import type { MemoryCompared, MemoryCompareRequest } from '$api';
import { addressOf } from '$web/api/routes';
import { untilRead, type Fetch } from '../answers';

export type MemoryCompareQuestion = { session: string } & MemoryCompareRequest;

export const fetchMemoryCompare: Fetch<MemoryCompared, MemoryCompareQuestion> = (question, signal, progress) =>
  untilRead(addressOf('profile/{session}/memory_compare', question), signal, progress);

/** +12 MiB, −3 KiB, 0. */
export function changeText(change: number): string {
  if (change === 0) return '0';
  return `${change > 0 ? '+' : '−'}${bytes(Math.abs(change))}`;
}
