// The shapes of the answers about the memory of several sessions, as docs/http-api.md describes them, and how they are fetched.
import { bytes } from '$web/widgets/format';
import { untilRead, type Fetch, type Reading } from '../answers';

export interface ComparedSession {
  session: string;
  name: string;
  time: number;
  /** The first step that it records. */
  step: number | null;
}

export interface ComparedRow {
  name: string;
  /** At the peak of each session; null where it has nothing of this memory. */
  bytes: (number | null)[];
  change_bytes: number;
}

export interface ComparedMemory {
  name: string;
  sentence: string;
  peaks: (number | null)[];
  rows: ComparedRow[];
}

export interface MemoriesCompared {
  /** Whether each begins with a step of its own; else they come by time. */
  by_step: boolean;
  sessions: ComparedSession[];
  memories: ComparedMemory[];
}

export const fetchMemoryCompare: Fetch<MemoriesCompared> = async ({ session, by = '' }, signal, progress) => {
  const query = new URLSearchParams({ session, ...(by === '' ? {} : { by }) });
  type Answer = { reading: Reading | null; compared: MemoriesCompared };
  return (await untilRead<Answer>(`profile/memory/compare?${query}`, signal, progress)).compared;
};

/** +12 MiB, −3 KiB, 0. */
export function changeText(change: number): string {
  if (change === 0) return '0';
  return `${change > 0 ? '+' : '−'}${bytes(Math.abs(change))}`;
}
