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

  /** While a setting colours runs: a group has the colour of the value that all its runs share, else that of none. */
  private readonly valueColours = $derived.by(() => {
    const colours = runs.valueColours;
    if (colours === null) return null;
    const values = new Map<string, Set<string | undefined>>();
    for (const group of this.all) {
      const known = values.get(group.name) ?? new Set();
      values.set(group.name, known);
      for (const run of group.runs) {
        const row = runs.rowOfRun.get(run);
        if (row !== undefined) known.add(runs.settingOf(row, view.colourBy));
      }
    }
    return new Map(
      [...values].map(([name, known]) => [name, colours.colourOf(known.size === 1 ? [...known][0] : undefined)]),
    );
  });

  colourOf(name: string): string {
    return this.valueColours?.get(name) ?? runColour(this.paletteOf(name), shownTheme.current);
  }

  /** Its place in the palette; the colour of a setting's value is drawn instead. */
  paletteOf(name: string): number {
    return this.colours.get(name) ?? 0;
  }
}

export const grouping = new Grouping();
