// The runs of a file: rows as the run list has them, their colours, and the settings in which they differ.
import type { RunSettings } from '$api';
import type { Dash } from '$web/charts/types';
import { assignColours, colourOfLine, dashOfRole } from '$web/runs/colours';
import { differingSettings } from '$web/runs/fields';
import type { Group } from '$web/runs/groups';
import { fieldsOfName, FROM_NAME } from '$web/runs/name-fields';
import { compareNames, sharedPrefix, withoutSharedFolders } from '$web/runs/names';
import { makeRows, type Row } from '$web/runs/rows';
import { valueColours, type ValueColours } from '$web/runs/value-colours';
import { runColour, shadeOf, type Theme } from '$web/style/theme';
import type { CurvesFile } from './embedded';

export interface Looks {
  /** The colours of a setting's values, where one colours the runs. */
  values: ValueColours | null;
  rowOf: (run: string) => Row | undefined;
  shortLabel: (row: Row) => string;
  colourOf: (run: string, shade: number) => string;
}

export function rowsOf(file: Pick<CurvesFile, 'runs'>): Row[] {
  return makeRows(file.runs, false);
}

function oldestFirst(a: Row, b: Row): number {
  return (a.started ?? Infinity) - (b.started ?? Infinity) || (a.id < b.id ? -1 : 1);
}

/** Colours are those of the page that saved the file; runs without one get a free one. */
export function looksOf(
  { wanted, settings }: Pick<CurvesFile, 'wanted' | 'settings'>,
  rows: readonly Row[],
  theme: Theme,
): Looks {
  const byRun = new Map(rows.flatMap((row) => row.runs.map((run) => [run.id, row] as const)));
  const ids = [...rows].sort(oldestFirst).map((row) => row.id);
  const places = assignColours(ids, undefined, new Map(Object.entries(wanted.colours ?? {})));
  const shared = sharedPrefix(rows.map((row) => row.label));
  const byValue = wanted.colour_by ?? '';
  const read = settingReader(settings);
  const valueOf = (row: Row): string | undefined => read(row, byValue);
  const values = byValue === '' ? null : valueColours(byValue, rows.map(valueOf), wanted.colour_scale ?? 'auto', theme);
  return {
    values,
    rowOf: (run) => byRun.get(run),
    shortLabel: (row) => withoutSharedFolders(row.label, shared),
    colourOf: (run, shade) => {
      const row = byRun.get(run);
      if (values !== null && row !== undefined) return shadeOf(values.colourOf(valueOf(row)), shade, theme);
      const chosen = row?.runs.find((one) => one.id === run)?.colour ?? row?.colour ?? null;
      return colourOfLine(places.get(row?.id ?? '') ?? 0, chosen, shade, theme);
    },
  };
}

/** Reads what any run of a row has logged, or else what its name says. */
function settingReader(settings: readonly RunSettings[]): (row: Row, name: string) => string | undefined {
  const byRun = new Map(settings.map(({ id, values }) => [id, values]));
  return (row, name) => {
    const logged = row.runs
      .map((run) => byRun.get(run.id))
      .find((values) => values !== undefined && Object.hasOwn(values, name));
    if (logged !== undefined) return logged[name];
    return name.startsWith(FROM_NAME) ? fieldsOfName(row.name).get(name.slice(FROM_NAME.length)) : undefined;
  };
}

export interface FileGroups {
  groups: readonly Group[];
  look: { colourOf(name: string): string; dashOf(group: Group): Dash; labelOf(group: Group): string };
}

/** The groups of the file in the colours that they had on the page; those without one get a free one. */
export function groupsOfFile({ wanted }: Pick<CurvesFile, 'wanted'>, theme: Theme): FileGroups {
  const asked = wanted.groups ?? [];
  const known = new Map(
    asked.flatMap(({ name, colour }) => (typeof colour === 'number' ? [[name, colour] as const] : [])),
  );
  const places = assignColours([...new Set(asked.map(({ name }) => name))].sort(compareNames), undefined, known);
  return {
    groups: asked.map(({ name, role, runs }) => ({ name, role: role ?? null, runs: [...runs] })),
    look: {
      colourOf: (name) => runColour(places.get(name) ?? 0, theme),
      dashOf: ({ role }) => dashOfRole(role),
      labelOf: ({ name, role }) => (role === null ? name : `${name} ${role}`),
    },
  };
}

/** Names of settings that differ between rows, and how one is read. */
export function settingsOf(
  settings: readonly RunSettings[],
  rows: readonly Row[],
): { names: string[]; of: (row: Row, name: string) => string | undefined } {
  const of = settingReader(settings);
  const names = [...new Set(settings.flatMap(({ values }) => Object.keys(values)))].sort(compareNames);
  return { names: rows.length < 2 ? names : differingSettings(rows, { settings: names, settingOf: of }), of };
}
