// The groups that are drawn instead of single runs, and their colours.
import type { Dash } from '../charts/types';
import { assignColours, dashOfRole } from '../runs/colours';
import { groupKey, makeGroups, type Group } from '../runs/groups';
import { compareNames, sharedPrefix, withoutSharedFolders } from '../runs/names';
import type { Row } from '../runs/rows';
import { shownTheme, view } from './choices.svelte';
import { runs } from './runs.svelte';
import { runColour } from '../style/theme';

class Grouping {
  readonly groups = $derived<Group[]>(
    view.group.by === 'none' ? [] : makeGroups(runs.kept, runs.visible, view.group, runs.settingOf),
  );

  readonly on = $derived(view.group.by !== 'none');

  /** Of all runs, drawn or not, so that hiding one changes no colour. */
  private readonly all = $derived.by(() => {
    const ids = new Set(runs.kept.flatMap((row) => row.runs.map((run) => run.id)));
    return makeGroups(runs.kept, ids, view.group, runs.settingOf);
  });
  private readonly colours = $derived(
    assignColours([...new Set(this.all.map((group) => group.name))].sort(compareNames)),
  );
  private readonly ofRun = $derived(
    new Map(this.all.flatMap((group) => group.runs.map((run) => [run, group] as const))),
  );

  /** How long the start is that all groups' names share. */
  private readonly sharedStart = $derived(sharedPrefix([...this.colours.keys()]));

  /** The group of a run; none while runs are drawn one by one, or when no pattern matches its name. */
  groupOf(run: string): Group | undefined {
    return this.ofRun.get(run);
  }

  /** What stands for a run in the charts and makes its line bright: its group while runs are grouped. */
  keyOf(run: string): string {
    const group = this.groupOf(run);
    return group === undefined ? run : groupKey(group);
  }

  /** The swatch of a row: that of the line it is part of, grey when grouping leaves it out. */
  lookOf(row: Row): { colour: string; dash: Dash } {
    const [first] = row.runs;
    const single = row.runs.length === 1;
    if (!this.on || first === undefined)
      return { colour: runs.colourOf(row.id), dash: first && single ? runs.dashOf(first) : 'solid' };
    const group = this.groupOf(first.id);
    if (group === undefined) return { colour: 'var(--text-faint)', dash: 'solid' };
    return { colour: this.colourOf(group.name), dash: single ? this.dashOf(group) : 'solid' };
  }

  labelOf(group: Group): string {
    const name = withoutSharedFolders(group.name, this.sharedStart);
    return group.role === null ? name : `${name} ${group.role}`;
  }

  dashOf(group: Group): Dash {
    return dashOfRole(group.role);
  }

  colourOf(name: string): string {
    return runColour(this.colours.get(name) ?? 0, shownTheme.current);
  }
}

export const grouping = new Grouping();
