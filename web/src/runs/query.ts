// Parses the run list's search: words, /regex/, `loss<0.1`, `status:live`, `tag:acc`, `-` before a term negates it.
import { compile, type Pattern } from '../patterns/pattern';
import type { Row } from './rows';

type Operator = '<' | '<=' | '>' | '>=' | '=' | '!=';

export type Term = { negate: boolean } & (
  | { kind: 'text'; text: string }
  | { kind: 'regex'; pattern: Pattern }
  | { kind: 'field'; field: 'status' | 'tag' | 'note'; text: string }
  | { kind: 'compare'; field: string; operator: Operator; value: number }
);

export interface Query {
  terms: Term[];
  /** A sentence for the user when a part could not be understood; that part is left out. */
  problem: string | null;
}

/** What a search needs to know about rows beyond their names. */
export interface Lookup {
  /** A run's own number (points, restarts, …) or the last value of a tag; undefined when it has none. */
  number(row: Row, field: string): number | undefined;
  hasTag(row: Row, part: string): boolean;
}

const COMPARE = /^([^<>=!]+)(<=|>=|!=|<|>|=)(.+)$/;

/** Splits at spaces, but not inside "…" or a /regex/ that begins a term. */
function words(text: string): string[] {
  return text.match(/-?"[^"]*"|-?\/(?:\\.|[^/\\])+\/i?(?=\s|$)|\S+/g) ?? [];
}

function parseWord(word: string): Term | string {
  const negate = word.length > 1 && word.startsWith('-');
  const body = negate ? word.slice(1) : word;
  if (body.startsWith('"')) return { negate, kind: 'text', text: body.replace(/"/g, '').toLowerCase() };
  const regex = /^\/(.+)\/i?$/.exec(body);
  if (regex?.[1] !== undefined) {
    const { pattern, problem } = compile(regex[1], true);
    return pattern === null ? (problem ?? '') : { negate, kind: 'regex', pattern };
  }
  const field = /^(status|tag|note):(.*)$/.exec(body);
  if (field) {
    return {
      negate,
      kind: 'field',
      field: field[1] as 'status' | 'tag' | 'note',
      text: (field[2] ?? '').toLowerCase(),
    };
  }
  const compare = COMPARE.exec(body);
  if (compare) {
    const value = Number(compare[3]);
    // Run names often hold '=': lr=0.1 is text unless a tag of that name exists, which matching decides.
    if (Number.isFinite(value) && compare[3]?.trim() !== '') {
      return { negate, kind: 'compare', field: compare[1] ?? '', operator: compare[2] as Operator, value };
    }
    if (compare[2] !== '=') return `${body} needs a number, for example ${compare[1]}<0.1.`;
  }
  return { negate, kind: 'text', text: body.toLowerCase() };
}

export function parseQuery(text: string): Query {
  const query: Query = { terms: [], problem: null };
  for (const word of words(text)) {
    const term = parseWord(word);
    if (typeof term === 'string') query.problem = term;
    else query.terms.push(term);
  }
  return query;
}

/** The names that a search compares numbers of, so that their values can be fetched. */
export function comparedFields(query: Query): string[] {
  return query.terms.flatMap((term) => (term.kind === 'compare' ? [term.field] : []));
}

function compare(left: number, operator: Operator, right: number): boolean {
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    case '=':
      return left === right;
    case '!=':
      return left !== right;
  }
}

function nameHas(row: Row, text: string): boolean {
  return row.label.toLowerCase().includes(text) || row.name.toLowerCase().includes(text);
}

function matchesTerm(term: Term, row: Row, lookup: Lookup): boolean {
  switch (term.kind) {
    case 'text':
      return nameHas(row, term.text);
    case 'regex':
      return term.pattern.test(row.label) || term.pattern.test(row.name);
    case 'field':
      if (term.field === 'status') return row.runs.some((run) => run.status.startsWith(term.text));
      if (term.field === 'note') return (row.note ?? '').toLowerCase().includes(term.text);
      return lookup.hasTag(row, term.text);
    case 'compare': {
      const number = lookup.number(row, term.field);
      if (number !== undefined) return compare(number, term.operator, term.value);
      return term.operator === '=' && nameHas(row, `${term.field}=${term.value}`.toLowerCase());
    }
  }
}

export function matches(query: Query, row: Row, lookup: Lookup): boolean {
  return query.terms.every((term) => matchesTerm(term, row, lookup) !== term.negate);
}
