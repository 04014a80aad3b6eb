// What is known of a row under a name that a search, a column or a sort uses: its own facts, its settings, and values of tags.
import type { RunRole } from '../api/types';
import type { TagValue } from '../state/view';
import { FROM_NAME } from './name-fields';
import { compareNames } from './names';
import type { ValueOf } from './order';
import type { Row } from './rows';
import { cutRole, readTagValue } from './tag-values';

export type Known = number | string | undefined;

/** What the page knows beyond the rows themselves. */
export interface Facts {
  valueOf: ValueOf;
  rolesOf: (tag: string) => readonly (RunRole | null)[];
  /** Names of scalar tags and of settings. */
  tags: readonly string[];
  settings: readonly string[];
  settingOf: (row: Row, name: string) => string | undefined;
  hostsOf: (row: Row) => readonly string[];
  newestOf: (row: Row) => number | null;
  nowSeconds: number;
}

export function durationOf(row: Row): number | undefined {
  return row.started === null || row.lastEvent === null ? undefined : row.lastEvent - row.started;
}

const OWN: Readonly<Record<string, (row: Row, facts: Facts) => Known>> = {
  name: (row) => row.label,
  status: (row) => row.status,
  note: (row) => row.note ?? undefined,
  label: (row) => row.labels.join(', ') || undefined,
  host: (row, facts) => facts.hostsOf(row).join(', ') || undefined,
  duration: durationOf,
  points: (row) => row.points,
  restarts: (row) => row.restarts,
  skipped: (row) => row.skipped,
  age: (row, facts) => {
    const newest = facts.newestOf(row);
    return newest === null ? undefined : facts.nowSeconds - newest;
  },
};

type Field = { own: string } | { setting: string } | { value: TagValue };

/** The only name that ends so after a dot or slash. */
function endingIn(names: readonly string[], field: string): string | undefined {
  const found = names.filter((name) => name.endsWith(`/${field}`) || name.endsWith(`.${field}`));
  return found.length === 1 ? found[0] : undefined;
}

/** What was logged comes before what names say. */
function settingEndingIn(settings: readonly string[], field: string): string | undefined {
  const ofNames = (name: string): boolean => name.startsWith(FROM_NAME);
  const logged = settings.filter((name) => !ofNames(name));
  return endingIn(logged, field) ?? endingIn(settings.filter(ofNames), field);
}

type Names = Pick<Facts, 'tags' | 'settings' | 'rolesOf'>;

function fieldNamed(text: string, facts: Names): Field | undefined {
  if (Object.hasOwn(OWN, text)) return { own: text };
  const written = readTagValue(text);
  const [name, role] = written === undefined ? cutRole(text) : [written.tag, written.role];
  const asTag = (tag: string): Field => ({
    value: { kind: written?.kind ?? 'last', tag, role: role ?? facts.rolesOf(tag)[0] ?? null },
  });
  if (written === undefined && facts.settings.includes(text)) return { setting: text };
  if (facts.tags.includes(name)) return asTag(name);
  const setting = written === undefined ? settingEndingIn(facts.settings, text) : undefined;
  if (setting !== undefined) return { setting };
  const tag = endingIn(facts.tags, name);
  return tag === undefined ? undefined : asTag(tag);
}

/** A setting as a number where it is one, so that 1e-3 and 0.001 are the same. */
export function plainValue(text: string | undefined): Known {
  if (text === undefined || text.trim() === '') return text;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}

/** Numbers by their size, before words by their names. */
export function compareValues(a: string, b: string): number {
  const [one, other] = [plainValue(a), plainValue(b)];
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return typeof one === 'number' ? -1 : typeof other === 'number' ? 1 : compareNames(a, b);
}

/** How a named field is read from a row; undefined when nothing has that name. */
export function readerOf(text: string, facts: Facts): ((row: Row) => Known) | undefined {
  const field = fieldNamed(text, facts);
  if (field === undefined) return undefined;
  if ('own' in field) return (row) => OWN[field.own]?.(row, facts);
  if ('setting' in field) return (row) => plainValue(facts.settingOf(row, field.setting));
  return (row) => facts.valueOf(row, field.value);
}

/** The tag whose values a field needs. */
export function tagNeeded(text: string, names: Pick<Facts, 'tags' | 'settings'>): string | undefined {
  const field = fieldNamed(text, { ...names, rolesOf: () => [null] });
  return field !== undefined && 'value' in field ? field.value.tag : undefined;
}

/** Settings that differ between rows; those that all share say nothing about any. */
export function differingSettings(rows: readonly Row[], facts: Pick<Facts, 'settings' | 'settingOf'>): string[] {
  const [first, ...others] = rows;
  if (first === undefined) return [];
  return facts.settings.filter((name) => {
    const value = facts.settingOf(first, name);
    return others.some((row) => facts.settingOf(row, name) !== value);
  });
}
