// The parts of the Profile tab in their order: adding one is one line here and one component.
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
import Memory from './memory/Memory.svelte';
import Modules from './modules/Modules.svelte';
import type { Read } from './open-profile.svelte';
import Operations from './tables/Operations.svelte';
import OverviewPart from './overview/OverviewPart.svelte';
import Roofline from './roofline/Roofline.svelte';
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
