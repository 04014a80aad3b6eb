// The groups that are drawn instead of single runs, and their colours.
import type { Dash } from '$web/charts/types';
import { assignLooks, dashOfRole } from '$web/runs/colours';
import { makeGroups, type Group } from '$web/runs/groups';
import { compareNames, sharedPrefix, withoutSharedFolders } from '$web/runs/names';
import { shownTheme, view } from '$web/state/choices.svelte';
import { runs } from '$web/state/runs.svelte';
import { runColour } from '$web/style/theme';

class Grouping {
  readonly groups = $derived<Group[]>(view.group.by === 'none' ? [] : makeGroups(runs.kept, runs.visible, view.group));

  /** Of all runs, drawn or not, so that hiding one changes no colour. */
  private readonly looks = $derived.by(() => {
    const all = new Set(runs.kept.flatMap((row) => row.runs.map((run) => run.id)));
    const names = new Set(makeGroups(runs.kept, all, view.group).map((group) => group.name));
    return assignLooks([...names].sort(compareNames));
  });

  /** How long the start is that all groups' names share. */
  private readonly sharedStart = $derived(sharedPrefix([...this.looks.keys()]));

  labelOf(group: Group): string {
    const name = withoutSharedFolders(group.name, this.sharedStart);
    return group.role === null ? name : `${name} ${group.role}`;
  }

  dashOf(group: Group): Dash {
    return dashOfRole(group.role, this.looks.get(group.name)?.dash ?? 'solid');
  }

  colourOf(name: string): string {
    return runColour(this.looks.get(name)?.hue ?? 0, shownTheme.current);
  }
}

export const grouping = new Grouping();
