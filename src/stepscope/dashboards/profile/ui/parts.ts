// The parts of the Profile tab in their order, with a profile and without one: adding one is one line here and one component.
import type { Component } from 'svelte';
import type { ProfileView } from '$web/state/view';
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
  /** A part that is drawn first calls it when it is drawn, or cannot be. */
  ondrawn?: () => void;
}

/** The server's id of a part: of one session, of several, or of a route of its own. */
type PartId = keyof Parts | 'compare' | 'trend' | 'throughput' | 'trace';

/** The groups of parts in their order. */
export const PART_GROUPS = ['Overview', 'Trace', 'Time', 'Memory', 'Communication', 'What if', 'Compare'] as const;
export type PartGroup = (typeof PART_GROUPS)[number];

export interface ProfilePart {
  /** As addresses and the API have it. */
  id: PartId;
  label: string;
  group: PartGroup;
  shows: OnDemand<Component<PartProps>>;
  /** Shown for a session in which only memory was recorded, which has nothing but such parts. */
  withoutSteps?: boolean;
  /** Listed only when the overview says that there is something; who comes by an address sees it all the same. */
  listed?: (report: Report) => boolean;
  /** Whether the overview is asked for when this is drawn: its analyses would take the time of what is looked at. */
  drawnFirst?: (shown: ProfileView) => boolean;
  /** Whether it shows one rank even when all are chosen. */
  ofOneRank?: boolean | ((shown: ProfileView) => boolean);
  /** Why it is dimmed, since it has little to say here; undefined when it is not. */
  dimmed?: (report: Report) => string | undefined;
}

const withoutDevice = ({ ranks }: Report): string | undefined =>
  ranks.every(({ cpu_only }) => cpu_only) ? 'No work of a device in this profile' : undefined;

const withoutCommunication = ({ ranks, parts, overlapped }: Report): string | undefined =>
  ranks.length < 2 && parts.comm === 0 && overlapped.comm === 0 ? 'No communication in this profile' : undefined;

const without =
  (id: string, why: string) =>
  ({ empty_views }: Report): string | undefined =>
    empty_views.includes(id) ? why : undefined;

const PARTS: readonly ProfilePart[] = [
  {
    id: 'report',
    label: 'Overview',
    group: 'Overview',
    shows: defaultOf(() => import('./overview/OverviewPart.svelte')),
  },
  {
    id: 'trace',
    label: 'Trace',
    group: 'Trace',
    shows: defaultOf(() => import('./trace/TraceView.svelte')),
    ofOneRank: ({ stack }) => stack !== 'ranks',
    drawnFirst: ({ stack }) => stack === '',
  },
  { id: 'whatif', label: 'What if', group: 'What if', shows: defaultOf(() => import('./what-if/WhatIf.svelte')) },
  {
    id: 'ops',
    label: 'Operations',
    group: 'Time',
    shows: defaultOf(() => import('./tables/Operations.svelte')),
    ofOneRank: true,
  },
  {
    id: 'coverage',
    label: 'Coverage',
    group: 'Time',
    shows: defaultOf(() => import('./tables/Coverage.svelte')),
    ofOneRank: true,
  },
  {
    id: 'scope',
    label: 'Costs',
    group: 'Time',
    shows: defaultOf(() => import('./tables/Costs.svelte')),
    ofOneRank: true,
  },
  {
    id: 'kernels',
    label: 'Kernels',
    group: 'Time',
    shows: defaultOf(() => import('./tables/Kernels.svelte')),
    ofOneRank: true,
    dimmed: withoutDevice,
  },
  {
    id: 'roofline',
    label: 'Roofline',
    group: 'Time',
    shows: defaultOf(() => import('./roofline/Roofline.svelte')),
    ofOneRank: true,
  },
  {
    id: 'modules',
    label: 'Modules',
    group: 'Time',
    shows: defaultOf(() => import('./modules/Modules.svelte')),
    ofOneRank: true,
    dimmed: without('modules', 'No modules recorded in this profile'),
  },
  {
    id: 'hlo',
    label: 'HLO',
    group: 'Time',
    shows: defaultOf(() => import('./hlo/Hlo.svelte')),
    listed: (report) => report.programs > 0,
    ofOneRank: true,
  },
  {
    id: 'input',
    label: 'Input',
    group: 'Time',
    shows: defaultOf(() => import('./input/Input.svelte')),
    ofOneRank: true,
  },
  { id: 'host', label: 'Host', group: 'Time', shows: defaultOf(() => import('./host/Host.svelte')), ofOneRank: true },
  {
    id: 'transfers',
    label: 'Transfers',
    group: 'Time',
    shows: defaultOf(() => import('./tables/Transfers.svelte')),
    ofOneRank: true,
    dimmed: withoutDevice,
  },
  {
    id: 'communication',
    label: 'Communication',
    group: 'Communication',
    shows: defaultOf(() => import('./communication/Communication.svelte')),
    dimmed: withoutCommunication,
  },
  {
    id: 'path',
    label: 'Critical path',
    group: 'Time',
    shows: defaultOf(() => import('./what-if/CriticalPath.svelte')),
  },
  {
    id: 'throughput',
    label: 'Throughput',
    group: 'Time',
    shows: defaultOf(() => import('./throughput/Throughput.svelte')),
  },
  {
    id: 'inference',
    label: 'Requests',
    group: 'Time',
    shows: defaultOf(() => import('./requests/Requests.svelte')),
    ofOneRank: true,
    dimmed: (report) => (report.request === '' ? 'No request annotations in this profile' : undefined),
  },
  {
    id: 'memory',
    label: 'Memory',
    group: 'Memory',
    shows: defaultOf(() => import('./memory/Memory.svelte')),
    withoutSteps: true,
    ofOneRank: true,
    dimmed: without('memory', 'No memory recorded in this profile'),
  },
  {
    id: 'counters',
    label: 'Counters',
    group: 'Time',
    shows: defaultOf(() => import('./counters/Counters.svelte')),
    ofOneRank: true,
    dimmed: without('counters', 'No counters recorded in this profile'),
  },
  { id: 'compare', label: 'Compare', group: 'Compare', shows: defaultOf(() => import('./compare/Compare.svelte')) },
  // Reached from Compare: few folders have several profiles that belong together.
  {
    id: 'trend',
    label: 'Trend',
    group: 'Compare',
    shows: defaultOf(() => import('./compare/Trend.svelte')),
    listed: () => false,
  },
];

/** The parts of a session that are listed; `asked` is the one that the address names. */
export function partsOf(session: Session, report: Report | null, asked: string): ProfilePart[] {
  return PARTS.filter(({ id, withoutSteps, listed }) => {
    if (!session.has_steps) return withoutSteps === true;
    return listed === undefined || id === asked || (report !== null && listed(report));
  });
}

/** A group of parts as its row has it: dimmed when all of its parts are. */
export interface GroupEntry {
  id: PartGroup;
  label: PartGroup;
  empty?: string;
}

/** The groups that have a part here. */
export function groupsOf(parts: readonly (ProfilePart & { empty?: string })[]): GroupEntry[] {
  return PART_GROUPS.flatMap((group) => {
    const mine = parts.filter((part) => part.group === group);
    const empty = mine.every((part) => part.empty !== undefined) ? mine[0]?.empty : undefined;
    return mine.length === 0 ? [] : [{ id: group, label: group, ...(empty === undefined ? {} : { empty }) }];
  });
}

/** Fetches the code of the part that the address names, while it is not yet known which sessions there are. */
export function fetchAhead(asked: string): void {
  void (PARTS.find(({ id }) => id === asked) ?? PARTS[0])?.shows.fetch();
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
