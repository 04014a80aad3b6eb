// The parts of the Profile tab in their order, with a profile and without one: adding one is one line here and one component.
import type { Component } from 'svelte';
import { defaultOf, type OnDemand } from '$web/widgets/on-demand.svelte';
import type { Parts } from '$api';
import type { PartQuestion, Report, Session } from './answers';
import { loggedMemorySays } from './memory/logged-answers';
import type { Read } from './open-profile.svelte';
import { loggedThroughputSays } from './throughput/logged-throughput';

/** What every part is given; it asks for anything else itself. */
export interface PartProps {
  session: Session;
  overview: Read<Report, PartQuestion<'report'>>;
}

/** The server's id of a part: of one session, of several, or of a route of its own. */
type PartId = keyof Parts | 'compare' | 'trend' | 'throughput';

export interface ProfilePart {
  /** As addresses and the API have it. */
  id: PartId;
  label: string;
  shows: OnDemand<Component<PartProps>>;
  /** Shown for a session in which only memory was recorded, which has nothing but such parts. */
  withoutSteps?: boolean;
  /** Listed only when the overview says that there is something; who comes by an address sees it all the same. */
  listed?: (report: Report) => boolean;
  /** Whether it shows one rank even when all are chosen. */
  ofOneRank?: boolean;
  /** Why it is dimmed, since it has little to say here; undefined when it is not. */
  dimmed?: (report: Report) => string | undefined;
}

const PARTS: readonly ProfilePart[] = [
  { id: 'report', label: 'Overview', shows: defaultOf(() => import('./overview/OverviewPart.svelte')) },
  { id: 'whatif', label: 'What if', shows: defaultOf(() => import('./what-if/WhatIf.svelte')) },
  { id: 'throughput', label: 'Throughput', shows: defaultOf(() => import('./throughput/Throughput.svelte')) },
  { id: 'ops', label: 'Operations', shows: defaultOf(() => import('./tables/Operations.svelte')), ofOneRank: true },
  { id: 'kernels', label: 'Kernels', shows: defaultOf(() => import('./tables/Kernels.svelte')), ofOneRank: true },
  { id: 'roofline', label: 'Roofline', shows: defaultOf(() => import('./roofline/Roofline.svelte')), ofOneRank: true },
  { id: 'modules', label: 'Modules', shows: defaultOf(() => import('./modules/Modules.svelte')), ofOneRank: true },
  {
    id: 'hlo',
    label: 'HLO',
    shows: defaultOf(() => import('./hlo/Hlo.svelte')),
    listed: (report) => report.programs > 0,
    ofOneRank: true,
  },
  { id: 'input', label: 'Input', shows: defaultOf(() => import('./input/Input.svelte')), ofOneRank: true },
  { id: 'host', label: 'Host', shows: defaultOf(() => import('./host/Host.svelte')), ofOneRank: true },
  { id: 'transfers', label: 'Transfers', shows: defaultOf(() => import('./tables/Transfers.svelte')), ofOneRank: true },
  {
    id: 'communication',
    label: 'Communication',
    shows: defaultOf(() => import('./communication/Communication.svelte')),
  },
  { id: 'path', label: 'Critical path', shows: defaultOf(() => import('./what-if/CriticalPath.svelte')) },
  {
    id: 'inference',
    label: 'Requests',
    shows: defaultOf(() => import('./requests/Requests.svelte')),
    ofOneRank: true,
    dimmed: (report) => (report.request === '' ? 'No request annotations in this profile' : undefined),
  },
  {
    id: 'memory',
    label: 'Memory',
    shows: defaultOf(() => import('./memory/Memory.svelte')),
    withoutSteps: true,
    ofOneRank: true,
  },
  { id: 'counters', label: 'Counters', shows: defaultOf(() => import('./counters/Counters.svelte')), ofOneRank: true },
  { id: 'compare', label: 'Compare', shows: defaultOf(() => import('./compare/Compare.svelte')) },
  // Reached from Compare: few folders have several profiles that belong together.
  { id: 'trend', label: 'Trend', shows: defaultOf(() => import('./compare/Trend.svelte')), listed: () => false },
];

/** The parts of a session that are listed; `asked` is the one that the address names. */
export function partsOf(session: Session, report: Report | null, asked: string): ProfilePart[] {
  return PARTS.filter(({ id, withoutSteps, listed }) => {
    if (!session.has_steps) return withoutSteps === true;
    return listed === undefined || id === asked || (report !== null && listed(report));
  });
}

/** The part to show: the one that the address names where the session has it, else the first. */
export function partOf(session: Session, asked: string): ProfilePart | undefined {
  const parts = partsOf(session, null, asked);
  return parts.find(({ id }) => id === asked) ?? parts[0];
}

/** A part of the tab where there is no profile: it is made of what runs have logged. */
export interface LoggedPart {
  /** As the address has it: where a profile's part tells the same, its id. */
  id: string;
  label: string;
  without: 'profile';
  /** What it tells, in a few words. */
  tells: string;
  /** What it says about this folder in one sentence; null while the logs have nothing for it. */
  says: (signal: AbortSignal) => Promise<string | null>;
  /** How the logs come to have something for it. */
  needs: string;
  shows: OnDemand<Component>;
}

export const LOGGED_PARTS: readonly LoggedPart[] = [
  {
    id: 'throughput',
    label: 'Throughput',
    without: 'profile',
    tells: 'Steps, examples and tokens per second, and the time breakdown of epochs.',
    says: loggedThroughputSays,
    needs:
      'Log the duration of every step in seconds as step_time/total, and the epoch number at the last step of each epoch as epoch.',
    shows: defaultOf(() => import('./throughput/LoggedThroughput.svelte')),
  },
  {
    id: 'memory',
    label: 'Memory',
    without: 'profile',
    tells: 'Usage, growth, and when memory will run out.',
    says: loggedMemorySays,
    needs: 'Log system metrics, or mark one of your series as memory.',
    shows: defaultOf(() => import('./memory/LoggedMemory.svelte')),
  },
];

/** The part to show without a profile: the one that the address names, else none, which is the list of them. */
export function loggedPartOf(asked: string): LoggedPart | undefined {
  return LOGGED_PARTS.find(({ id }) => id === asked);
}
