// Short facts about a recording for the line above it: the devices, and how its steps were found.
import { plural } from '$web/widgets/format';
import type { Report, Session, WorkerFile } from '../answers';

/** "8 × A100-SXM4", or "CPU" where no device took part. */
export function deviceText(report: Report): string {
  const names = report.ranks.flatMap((rank) => (rank.devices.length === 0 && rank.cpu_only ? ['CPU'] : rank.devices));
  const counts = new Map<string, number>();
  // Devices whose files tell no name are counted together: "GPU 0" and "GPU 1" are two GPUs.
  const kinds = names.map((name) => (names.length > 1 ? name.replace(/^([A-Z]{3}) \d+$/, '$1') : name));
  for (const name of kinds) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name)).join(', ');
}

/** "6 steps by ProfilerStep#" */
export function sourceText(report: Report): string {
  const first = report.ranks[0];
  if (first === undefined) return '';
  if (first.step_family === 'window') return 'no steps found: whole profile';
  return `${plural(first.steps.length, 'step')} by ${first.step_source}`;
}

/** A session goes by its run; in the log folder itself by its own name, and inside an event file by its tag as well. */
export function sessionLabel(session: Session): string {
  if (session.run_name === '.') return session.name;
  return session.workers[0]?.format === 'run_metadata' ? `${session.run_name} ${session.name}` : session.run_name;
}

/** Runs that have several sessions: there the session's own name tells them apart. */
export function crowdedRuns(sessions: readonly Session[]): Set<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { run } of sessions) (seen.has(run) ? twice : seen).add(run);
  return twice;
}

/** Whose file it is, as a table or a session has it. */
interface OfWorker {
  worker: string;
  rank?: number | null;
}

/** The ranks to choose from: the files, or the ranks that were found in a file with several. */
export function ranksOf(
  { workers }: Pick<Session, 'workers'>,
  report: Pick<Report, 'ranks'> | null,
): readonly Pick<WorkerFile, 'worker' | 'problem'>[] {
  return report !== null && report.ranks.length > workers.length
    ? report.ranks.map(({ worker }) => ({ worker, problem: null }))
    : workers;
}

/** "rank 3" where the profile or the name of its file says so, else the worker. */
export function workerLabel({ worker, rank }: OfWorker): string {
  const named = /^rank[ _-]?(\d+)$/i.exec(worker)?.[1];
  const number = rank ?? (named === undefined ? null : Number(named));
  return number === null ? worker : `rank ${number}`;
}

/** What workers are called: by their rank where each has its own, else without the end that all of them share. */
export function workerLabels(workers: readonly OfWorker[]): Map<string, string> {
  const labels = workers.map(workerLabel);
  const ranked = new Set(labels).size === workers.length && labels.every((label) => label.startsWith('rank '));
  const shared = ranked ? 0 : sharedEnd(workers.map(({ worker }) => worker));
  return new Map(
    workers.map(({ worker }, at) => [
      worker,
      ranked ? (labels[at] ?? worker) : worker.slice(0, worker.length - shared),
    ]),
  );
}

/** How many letters at their end all of several names share, without digits: rank10 and rank20 share no 0. */
function sharedEnd(names: readonly string[]): number {
  const first = names[0] ?? '';
  let shared = 0;
  if (names.length > 1)
    while (shared < first.length && names.every((one) => one.endsWith(first.slice(first.length - shared - 1))))
      shared += 1;
  while (shared > 0 && /\d/.test(first.charAt(first.length - shared))) shared -= 1;
  return names.some((one) => one.length === shared) ? 0 : shared;
}

/** What to choose so that no rank's warm-up is in it, and how many steps that leaves out; null when there is none. */
export function warmUpOf(report: Report | null): { range: string; text: string } | null {
  const counts = (report?.ranks ?? []).map(({ steps }) => steps.filter(({ warm_up }) => warm_up).length);
  const most = Math.max(0, ...counts);
  const first = report?.ranks[counts.indexOf(most)]?.steps[most];
  return most === 0 || first === undefined ? null : { range: `${first.step}:`, text: plural(most, 'step') };
}
