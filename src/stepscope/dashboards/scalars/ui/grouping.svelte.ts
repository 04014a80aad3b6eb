// The groups that are drawn instead of single runs, and their colours.
import { assignLooks } from '$web/runs/colours';
import { makeGroups, type Group } from '$web/runs/groups';
import { compareNames } from '$web/runs/names';
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

  colourOf(name: string): string {
    return runColour(this.looks.get(name)?.hue ?? 0, shownTheme.current);
  }
}

export const grouping = new Grouping();
