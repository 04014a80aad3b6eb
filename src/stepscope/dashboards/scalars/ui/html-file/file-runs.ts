// The runs of a file: rows as the run list has them, their colours, and the settings in which they differ.
import type { RunSettings } from '$api';
import { assignColours, colourOfLine } from '$web/runs/colours';
import { differingSettings } from '$web/runs/fields';
import { compareNames, sharedPrefix, withoutSharedFolders } from '$web/runs/names';
import { makeRows, type Row } from '$web/runs/rows';
import type { Theme } from '$web/style/theme';
import type { CurvesFile } from './embedded';

export interface Looks {
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
export function looksOf({ wanted }: Pick<CurvesFile, 'wanted'>, rows: readonly Row[], theme: Theme): Looks {
  const byRun = new Map(rows.flatMap((row) => row.runs.map((run) => [run.id, row] as const)));
  const ids = [...rows].sort(oldestFirst).map((row) => row.id);
  const places = assignColours(ids, undefined, new Map(Object.entries(wanted.colours ?? {})));
  const shared = sharedPrefix(rows.map((row) => row.label));
  return {
    rowOf: (run) => byRun.get(run),
    shortLabel: (row) => withoutSharedFolders(row.label, shared),
    colourOf: (run, shade) => {
      const row = byRun.get(run);
      const chosen = row?.runs.find((one) => one.id === run)?.colour ?? row?.colour ?? null;
      return colourOfLine(places.get(row?.id ?? '') ?? 0, chosen, shade, theme);
    },
  };
}

/** Names of settings that differ between rows, and how one is read. */
export function settingsOf(
  settings: readonly RunSettings[],
  rows: readonly Row[],
): { names: string[]; of: (row: Row, name: string) => string | undefined } {
  const byRun = new Map(settings.map(({ id, values }) => [id, values]));
  const of = (row: Row, name: string): string | undefined =>
    row.runs.map((run) => byRun.get(run.id)).find((values) => values !== undefined && Object.hasOwn(values, name))?.[
      name
    ];
  const names = [...new Set(settings.flatMap(({ values }) => Object.keys(values)))].sort(compareNames);
  return { names: rows.length < 2 ? names : differingSettings(rows, { settings: names, settingOf: of }), of };
}
