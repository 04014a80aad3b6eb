// Which session and which worker are shown where the address names none, or one that is gone.
import type { SessionRow } from '$api';

/** `asked` is the id of a session, or a run, which stands for its newest profile. */
export function sessionOf(sessions: readonly SessionRow[], asked: string): SessionRow | undefined {
  return (
    sessions.find((one) => one.id === asked) ??
    sessions.find((one) => one.run === asked) ??
    sessions.find((one) => one.has_steps) ??
    sessions[0]
  );
}

/** The worker that parts of one worker show: the chosen one, else the first whose file nothing speaks against. */
export function workerIn({ workers }: Pick<SessionRow, 'workers'>, asked: string): string {
  return asked || (workers.find(({ problem }) => problem === null) ?? workers[0])?.worker || '';
}
