// The parts of the Profile tab in their order, with a profile and without one: adding one is one line here and one component.
import type { Component } from 'svelte';
import type { Report, Session } from './answers';
import Communication from './communication/Communication.svelte';
import Counters from './counters/Counters.svelte';
import CriticalPath from './what-if/CriticalPath.svelte';
import Compare from './compare/Compare.svelte';
import Hlo from './hlo/Hlo.svelte';
import Host from './host/Host.svelte';
import Input from './input/Input.svelte';
import Kernels from './tables/Kernels.svelte';
import { loggedMemorySays } from './memory/logged-answers';
import LoggedMemory from './memory/LoggedMemory.svelte';
import Memory from './memory/Memory.svelte';
import Modules from './modules/Modules.svelte';
import type { Read } from './open-profile.svelte';
import Operations from './tables/Operations.svelte';
import OverviewPart from './overview/OverviewPart.svelte';
import Requests from './requests/Requests.svelte';
import Roofline from './roofline/Roofline.svelte';
import { loggedThroughputSays } from './throughput/logged-throughput';
import LoggedThroughput from './throughput/LoggedThroughput.svelte';
import Throughput from './throughput/Throughput.svelte';
import Transfers from './tables/Transfers.svelte';
import Trend from './compare/Trend.svelte';
import WhatIf from './what-if/WhatIf.svelte';

/** What every part is given; it asks for anything else itself. */
export interface PartProps {
  session: Session;
  overview: Read<Report>;
}

export interface ProfilePart {
  /** As the address has it. */
  id: string;
  label: string;
  shows: Component<PartProps>;
  /** Shown for a session in which only memory was recorded, which has nothing but such parts. */
  withoutSteps?: boolean;
  /** Listed only when the overview says that there is something; who comes by an address sees it all the same. */
  listed?: (report: Report) => boolean;
  /** Why it is dimmed, since it has little to say here; undefined when it is not. */
  dimmed?: (report: Report) => string | undefined;
}

const PARTS: readonly ProfilePart[] = [
  { id: 'overview', label: 'Overview', shows: OverviewPart },
  { id: 'whatif', label: 'What if', shows: WhatIf },
  { id: 'throughput', label: 'Throughput', shows: Throughput },
  { id: 'operations', label: 'Operations', shows: Operations },
  { id: 'kernels', label: 'Kernels', shows: Kernels },
  { id: 'roofline', label: 'Roofline', shows: Roofline },
  { id: 'modules', label: 'Modules', shows: Modules },
  { id: 'hlo', label: 'HLO', shows: Hlo, listed: (report) => report.programs > 0 },
  { id: 'input', label: 'Input', shows: Input },
  { id: 'host', label: 'Host', shows: Host },
  { id: 'transfers', label: 'Transfers', shows: Transfers },
  { id: 'communication', label: 'Communication', shows: Communication },
  { id: 'path', label: 'Critical path', shows: CriticalPath },
  {
    id: 'requests',
    label: 'Requests',
    shows: Requests,
    dimmed: (report) => (report.request === '' ? 'No annotation here is around a request' : undefined),
  },
  { id: 'memory', label: 'Memory', shows: Memory, withoutSteps: true },
  { id: 'counters', label: 'Counters', shows: Counters },
  { id: 'compare', label: 'Compare', shows: Compare },
  // Reached from Compare: few folders have several profiles that belong together.
  { id: 'trend', label: 'Trend', shows: Trend, listed: () => false },
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
  shows: Component;
}

export const LOGGED_PARTS: readonly LoggedPart[] = [
  {
    id: 'throughput',
    label: 'Throughput',
    without: 'profile',
    tells: 'What is done in a second, and what epochs consist of.',
    says: loggedThroughputSays,
    needs: 'Log the seconds of every step as step_time/total, and the number of an epoch at its last step as epoch.',
    shows: LoggedThroughput,
  },
  {
    id: 'memory',
    label: 'Memory',
    without: 'profile',
    tells: 'How much is used, whether it grows, and when it would be full.',
    says: loggedMemorySays,
    needs: 'Log system metrics, or mark a series of your own as memory.',
    shows: LoggedMemory,
  },
];

/** The part to show without a profile: the one that the address names, else none, which is the list of them. */
export function loggedPartOf(asked: string): LoggedPart | undefined {
  return LOGGED_PARTS.find(({ id }) => id === asked);
}
