// What the page knows about runs: rows, which are drawn, their colours, and values of tags for the list.
import { fetchSettings } from '../api/client';
import { fetchColumns, type TagColumn } from '../api/series';
import type { Run, RunRole, RunSettings } from '../api/types';
import { assignColours, colourOfLine, dashOfRole } from '../runs/colours';
import { compareNames, sharedPrefix, withoutSharedFolders } from '../runs/names';
import { tableKeys } from '../runs/columns';
import { differingSettings, readerOf, tagNeeded, type Facts } from '../runs/fields';
import { goalOf } from '../runs/goals';
import { fieldsOfName, FROM_NAME } from '../runs/name-fields';
import { comparedFields, matcher, parseQuery, type Lookup } from '../runs/query';
import { makeRows, type Row } from '../runs/rows';
import { countRuns } from '../runs/run-count';
import { flatLines, sortRows, treeLines, type ValueOf } from '../runs/order';
import { rolesOfTag, runOfRole } from '../runs/tag-values';
import { valueColours } from '../runs/value-colours';
import { shadeOf } from '../style/theme';
import { autoChoice, selectionOf, toggled, visibleRuns } from '../runs/selection';
import type { Dash } from '../charts/types';
import { browserStorage, shownTheme, view } from './choices.svelte';
import { clock } from './clock.svelte';
import { loadColours, saveColours } from './colour-memory';
import { folder } from './folder.svelte';
import { chooseHighlights } from './highlights';
import { kindsOfTab } from './media-kinds';
import type { SortKey, SortKind, TagValue } from './view';
import { throttled } from './throttle';

const COLUMNS_PAUSE_MS = 2000;
const MOST_INSPECTED = 20;

function byAge(a: Row, b: Row): number {
  return (a.started ?? Infinity) - (b.started ?? Infinity) || (a.id < b.id ? -1 : 1);
}

class RunsState {
  /** Every row, newest first. */
  readonly rows = $derived(makeRows(folder.runs, view.split));
  /** Rows that the user has put away are neither drawn nor listed, unless asked for. */
  readonly kept = $derived(this.rows.filter((row) => !row.hidden));
  private readonly units = $derived(this.kept.map((row) => row.runs));
  /** Runs that have something for the open tab. */
  private readonly drawable = $derived.by(() => {
    const sets = kindsOfTab(view.tab, view.media).map((kind) => folder.tags.runsWith(kind));
    return (unit: readonly Run[]): boolean => unit.some((run) => sets.some((set) => set.has(run.id)));
  });
  readonly highlights = $derived(chooseHighlights(folder.tags.scalars()));
  /** For each highlight, whether a row has it. */
  private readonly highlighted = $derived(
    this.highlights.map((tag) => (unit: readonly Run[]) => unit.some((run) => folder.tags.has(run.id, tag))),
  );
  /** What is shown as long as the user has chosen nothing; null once they have. */
  readonly auto = $derived(
    view.selection.mode === 'auto' ? autoChoice(this.units, this.drawable, this.highlighted) : null,
  );
  private shownBefore: ReadonlySet<string> = new Set();
  /** The same object while its members are, so that a fetched list alone makes no chart ask again. */
  readonly visible = $derived.by(() => {
    const next = visibleRuns(view.selection, this.units, this.drawable, this.highlighted);
    if (!sameMembers(next, this.shownBefore)) this.shownBefore = next;
    return this.shownBefore;
  });
  /** The highlights of the shown runs. With none shown they are as with all. */
  readonly shownHighlights = $derived.by(() => {
    const shown = [...this.visible];
    if (shown.length === 0) return this.highlights;
    return chooseHighlights(folder.tags.scalars(), (tag) => shown.some((run) => folder.tags.has(run, tag)));
  });
  readonly rowOfRun = $derived(new Map(this.rows.flatMap((row) => row.runs.map((run) => [run.id, row] as const))));
  readonly rowById = $derived(new Map(this.rows.map((row) => [row.id, row])));

  private readonly remembered = loadColours(browserStorage);
  /** By row id. Experiments are always joined here, so that splitting one does not change any colour. */
  private readonly joined = $derived(makeRows(folder.runs, false).sort(byAge));
  private readonly assigned = $derived.by(() => {
    const folders = new Map(this.joined.map((row) => [row.id, folderOf(row.name)]));
    const ids = this.joined.map((row) => row.id);
    return assignColours(ids, (id) => folders.get(id) ?? '', this.remembered);
  });
  /** By run id: the place in the palette, and the colour that the user chose instead. */
  private readonly looks = $derived.by(() => {
    const byRun = new Map<string, { place: number; chosen: string | null }>();
    for (const row of this.joined) {
      const place = this.assigned.get(row.id) ?? 0;
      for (const run of row.runs) byRun.set(run.id, { place, chosen: run.colour ?? row.colour });
    }
    return byRun;
  });

  /** How long the start is that all rows' names share. */
  private readonly sharedStart = $derived(sharedPrefix(this.kept.map((row) => row.label)));
  readonly liveCount = $derived(this.kept.filter((row) => row.status === 'live').length);
  /** What every screen calls the number of runs. */
  readonly count = $derived(countRuns(this.rows, folder.folder?.runs ?? 0));
  readonly shownCount = $derived(this.kept.filter((row) => this.isShown(row)).length);

  readonly scalarTags = $derived(folder.tags.scalars().map((tag) => tag.name));

  /** The table's columns: its own, those that the user added, and what it is sorted by. */
  readonly tableKeys = $derived.by(() => {
    const sorted = 'kind' in view.sort ? [view.sort.tag] : 'setting' in view.sort ? [`hp:${view.sort.setting}`] : [];
    return [...new Set([...tableKeys(this.highlights, this.differing, view.columns), ...sorted])];
  });
  private readonly tableTags = $derived(this.tableKeys.filter((key) => folder.tags.get(key)?.kind === 'scalar'));

  readonly query = $derived(parseQuery(view.search));

  /** By run id; fetched when a column, a sort or a search needs them. */
  settings = $state.raw<ReadonlyMap<string, RunSettings>>(new Map());
  readonly loggedNames = $derived(
    [...new Set([...this.settings.values()].flatMap((one) => Object.keys(one.values)))].sort(compareNames),
  );
  /** By row id. */
  private readonly named = $derived(new Map(this.rows.map((row) => [row.id, fieldsOfName(row.name)])));
  /** What was logged, then what the names of the runs say. */
  readonly settingNames = $derived([
    ...this.loggedNames,
    ...[...new Set([...this.named.values()].flatMap((fields) => [...fields.keys()]))]
      .map((field) => FROM_NAME + field)
      .filter((field) => !this.loggedNames.includes(field))
      .sort(compareNames),
  ]);
  /** A row has what any of its runs has logged, and what its name says. */
  readonly settingOf = (row: Row, name: string): string | undefined => {
    for (const run of row.runs) {
      const values = this.settings.get(run.id)?.values;
      if (values !== undefined && Object.hasOwn(values, name)) return values[name];
    }
    return name.startsWith(FROM_NAME) ? this.named.get(row.id)?.get(name.slice(FROM_NAME.length)) : undefined;
  };
  readonly hostsOf = (row: Row): readonly string[] => [
    ...new Set(row.runs.flatMap((run) => this.settings.get(run.id)?.hosts ?? [])),
  ];
  /** Settings that differ between rows; the names stand beside them anyway. */
  readonly differing = $derived(
    differingSettings(this.kept, { settings: this.loggedNames, settingOf: this.settingOf }),
  );
  private readonly facts = $derived<Facts>({
    valueOf: (row, value) => this.valueOf(row, value),
    rolesOf: (tag) => this.rolesOf(tag),
    tags: this.scalarTags,
    settings: this.settingNames,
    settingOf: this.settingOf,
    hostsOf: this.hostsOf,
    newestOf: (row) => this.newestOf(row),
    nowSeconds: Math.floor(clock.now / 1000),
  });
  /** Set while a form lists the settings. */
  listsSettings = $state(false);
  /** The columns that the list is sorted by and that panels among the charts draw. */
  private readonly keys = $derived<SortKey[]>([
    view.sort,
    ...view.panels.flatMap((panel) =>
      panel.kind === 'scatter' ? [panel.x, panel.y] : panel.kind === 'bar' ? [panel.value] : [],
    ),
  ]);
  private readonly needsSettings = $derived(
    view.tab === 'table' ||
      view.tab === 'compare' ||
      this.listsSettings ||
      view.group.by === 'setting' ||
      view.colourBy !== '' ||
      view.facetBy !== '' ||
      this.keys.some((key) => 'setting' in key || ('column' in key && key.column === 'host')) ||
      this.query.terms.some((term) => 'field' in term),
  );

  columns = $state.raw<ReadonlyMap<string, TagColumn>>(new Map());
  /** Tags whose values the list needs. */
  readonly wanted = $derived.by(() => {
    // The narrow list shows one tag, the table every highlight and what the user added.
    const tags = new Set<string>(view.tab === 'table' ? this.tableTags : this.highlights.slice(0, 1));
    for (const key of this.keys) if ('kind' in key) tags.add(key.tag);
    const inspected = view.inspected === null ? undefined : this.rowById.get(view.inspected);
    for (const tag of this.tagsOf(inspected).slice(0, MOST_INSPECTED)) tags.add(tag);
    for (const field of comparedFields(this.query)) {
      const tag = tagNeeded(field, { tags: this.scalarTags, settings: this.settingNames });
      if (tag !== undefined) tags.add(tag);
    }
    return [...tags].filter((tag) => folder.tags.get(tag)?.kind === 'scalar').sort();
  });

  /** How many last points the list's means are of; null while it shows none. */
  private readonly meanOf = $derived(
    view.tab === 'table' || this.keys.some((key) => 'kind' in key && key.kind === 'mean') ? view.meanOf : null,
  );

  /** The step of an extreme; known while the table is open. */
  readonly stepOf = (row: Row, { kind, tag, role }: TagValue): number | undefined => {
    if (kind !== 'min' && kind !== 'max') return undefined;
    const run = runOfRole(row, tag, role, role === this.rolesOf(tag)[0], this.hasTag);
    const step = run === undefined ? undefined : this.columns.get(tag)?.[`${kind}_step`].get(run.id);
    return step === undefined || Number.isNaN(step) ? undefined : step;
  };

  readonly goalOf = (tag: string): 'min' | 'max' => goalOf(tag, view.goals);

  private readonly hasTag = (run: Run, tag: string): boolean => folder.tags.has(run.id, tag);
  private readonly roles = $derived(new Map(this.wanted.map((tag) => [tag, rolesOfTag(this.kept, tag, this.hasTag)])));
  /** The roles that a tag has columns for. */
  readonly rolesOf = (tag: string): readonly (RunRole | null)[] =>
    this.roles.get(tag) ?? rolesOfTag(this.kept, tag, this.hasTag);

  /** One value of each tag, or of each role that logs it. */
  valuesOf(kind: SortKind, tags: readonly string[]): TagValue[] {
    return tags.flatMap((tag) => this.rolesOf(tag).map((role) => ({ kind, tag, role })));
  }

  readonly valueOf: ValueOf = (row, { kind, tag, role }) => {
    const column = this.columns.get(tag)?.[kind];
    if (column === undefined) return undefined;
    // The server sends NaN for runs without the tag too.
    const run = runOfRole(row, tag, role, role === this.rolesOf(tag)[0], this.hasTag);
    return run === undefined ? undefined : column.get(run.id);
  };

  /** The last value of each run of a row that has the tag; the role says which where the row has several runs. */
  lastOf(row: Row, tag: string): { role: RunRole | null; value: number | undefined }[] {
    return row.runs
      .filter((run) => this.hasTag(run, tag))
      .map((run) => ({
        role: row.runs.length > 1 ? run.role : null,
        value: this.columns.get(tag)?.last.get(run.id),
      }));
  }

  private readonly lookup: Lookup = {
    reader: (field) => readerOf(field, this.facts),
    hasTag: (row, part) =>
      folder.tags.tags.some(
        (tag) =>
          tag.name.toLowerCase().includes(part) && row.runs.some((run) => folder.tags.has(run.id, tag.name, tag.kind)),
      ),
  };

  /** Rows that the search finds, in the chosen order; `hidden` lists those put away instead. */
  found(hidden: boolean): Row[] {
    const rows = hidden ? this.rows.filter((row) => row.hidden) : this.kept;
    return this.inOrder(rows.filter(matcher(this.query, this.lookup)));
  }

  /** As the list is sorted: the baseline first, then what is pinned. */
  private inOrder(rows: readonly Row[]): Row[] {
    const sorted = sortRows(rows, view.sort, view.descending, this);
    const first = (row: Row): number => (row.id === view.baseline ? 0 : row.pinned ? 1 : 2);
    return sorted.sort((a, b) => first(a) - first(b));
  }

  start(): void {
    const load = throttled(async () => {
      const tags = this.wanted;
      if (tags.length === 0) return;
      try {
        this.columns = await fetchColumns(tags, view.fold, this.meanOf, view.tab === 'table');
      } catch {
        // The list then shows dashes; the live feed tells when the server is gone.
      }
    }, COLUMNS_PAUSE_MS);
    $effect.root(() => {
      $effect(() => {
        const fresh = [...this.assigned].filter(([id]) => !this.remembered.has(id));
        if (fresh.length === 0) return;
        for (const [id, place] of fresh) this.remembered.set(id, place);
        saveColours(browserStorage, this.remembered);
      });
      $effect(() => {
        // The first lists come later than this effect: an empty one must not cost a pause.
        void [this.meanOf, view.tab];
        if (this.wanted.length > 0) load();
      });
    });
    const loadSettings = throttled(async () => {
      try {
        this.settings = new Map((await fetchSettings(view.fold)).map((one) => [one.id, one]));
      } catch {
        // As above.
      }
    }, COLUMNS_PAUSE_MS);
    $effect.root(() => {
      $effect(() => {
        void folder.runs;
        if (this.needsSettings) loadSettings();
      });
    });
    folder.onChange((changed) => {
      const wanted = new Set(this.wanted);
      if (changed === null || Object.values(changed).some((tags) => tags.some((tag) => wanted.has(tag)))) load();
    });
  }

  /** The scalar tags that a row has. */
  tagsOf(row: Row | undefined): string[] {
    if (row === undefined) return [];
    return this.scalarTags.filter((tag) => row.runs.some((run) => folder.tags.has(run.id, tag)));
  }

  /** The colours of the values of a setting, while that is what colours runs. */
  readonly valueColours = $derived.by(() => {
    const { colourBy, colourScale } = view;
    if (colourBy === '') return null;
    const values = this.kept.map((row) => this.settingOf(row, colourBy));
    return valueColours(colourBy, values, colourScale, shownTheme.current);
  });

  /** A run's colour; further lines of the same run have other shades of it. */
  colourOf(run: string, shade = 0): string {
    const row = this.valueColours === null ? undefined : this.rowOfRun.get(run);
    if (this.valueColours !== null && row !== undefined)
      return shadeOf(this.valueColours.colourOf(this.settingOf(row, view.colourBy)), shade, shownTheme.current);
    const { place, chosen } = this.looks.get(run) ?? { place: 0, chosen: null };
    return colourOfLine(place, chosen, shade, shownTheme.current);
  }

  /** Its place in the palette; a colour that the user chose is drawn instead. */
  paletteOf(row: Row): number {
    return this.looks.get(row.id)?.place ?? 0;
  }

  dashOf(run: Run): Dash {
    return dashOfRole(run.experiment === null ? null : run.role);
  }

  newestOf(row: Row): number | null {
    const grown = row.runs.map((run) => folder.grown.get(run.id) ?? -Infinity);
    const newest = Math.max(row.lastPoint ?? -Infinity, ...grown);
    // A run that holds profiles alone is as old as the first of them.
    return newest === -Infinity ? (row.points === 0 ? row.started : null) : newest;
  }

  /** A name for a place with little room: without the folders that all rows share. */
  shortLabel(row: Row): string {
    return withoutSharedFolders(row.label, this.sharedStart);
  }

  /** How much of a row's short name all rows' names begin with: without room it gives way first. */
  sharedIn(row: Row): number {
    return Math.max(0, this.sharedStart - (row.label.length - this.shortLabel(row).length));
  }

  /** Shown runs in the order of the list. */
  readonly shownInOrder = $derived.by(() => {
    const rows = this.inOrder(this.kept);
    const lines = view.tree ? treeLines(rows, new Set()) : flatLines(rows);
    const listed = idsOf(lines.flatMap((line) => (line.kind === 'row' ? [line.row] : [])));
    return listed.filter((id) => this.visible.has(id));
  });

  isShown(row: Row): boolean {
    return row.runs.some((run) => this.visible.has(run.id));
  }

  toggle(rows: readonly Row[]): void {
    this.show(toggled(this.visible, idsOf(rows)));
  }

  /** Only these; all again when they already are the only ones. */
  only(rows: readonly Row[]): void {
    const ids = new Set(idsOf(rows));
    const already = ids.size === this.visible.size && [...ids].every((id) => this.visible.has(id));
    if (already) view.selection = { mode: 'except', runs: [] };
    else this.show(ids);
  }

  showAll(): void {
    view.selection = { mode: 'except', runs: [] };
  }

  showNone(): void {
    view.selection = { mode: 'only', runs: [] };
  }

  private show(visible: ReadonlySet<string>): void {
    view.selection = selectionOf(visible, idsOf(this.kept));
  }
}

function sameMembers(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((id) => b.has(id));
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}

function idsOf(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => row.runs.map((run) => run.id));
}

export const runs = new RunsState();
