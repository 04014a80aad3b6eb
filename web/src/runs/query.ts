// Parses the run list's search: words, /regex/, `lr >= 1e-3`, `model == resnet50`, `host =~ gpu`, `status:live`; `-` negates a term.
import { compile, type Pattern } from '../patterns/pattern';
import type { Known } from './fields';
import type { Row } from './rows';

type Order = '<' | '<=' | '>' | '>=';
type Prefixed = 'status' | 'tag' | 'note' | 'label' | 'host';

export type Term = { negate: boolean } & (
  | { kind: 'text'; text: string }
  | { kind: 'regex'; pattern: Pattern }
  | { kind: 'field'; field: Prefixed; text: string }
  | { kind: 'order'; field: string; operator: Order; value: number }
  | {
      kind: 'equal';
      field: string;
      text: string;
      differs: boolean;
      /** As it may be part of a name. */ written: string | null;
    }
  | { kind: 'match'; field: string; pattern: Pattern }
);

export interface Query {
  terms: Term[];
  /** A sentence for the user when a part could not be understood; that part is left out. */
  problem: string | null;
}

/** What a search needs to know about rows beyond their names. */
export interface Lookup {
  /** How a named field is read from rows; undefined when nothing has that name. */
  reader(field: string): ((row: Row) => Known) | undefined;
  hasTag(row: Row, part: string): boolean;
}

const COMPARE = /^([^<>=!~]+?)\s*(<=|>=|!=|==|=~|<|>|=)\s*([^]+)$/;
/** Terms end at spaces, but not inside "…" or a /regex/, nor around an operator. */
const TERMS =
  /-?"[^"]*"|-?\/(?:\\.|[^/\\])+\/i?(?=\s|$)|[^\s<>=!~"]+\s*(?:<=|>=|!=|==|=~|<|>|=)\s*(?:"[^"]*"|\/(?:\\.|[^/\\])+\/i?(?=\s|$)|\S+)|\S+/g;
const UNITS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600, d: 86_400 };

/** 0.1, or 90min as seconds. */
function numberIn(text: string): number | null {
  const [, digits, unit] = /^(.*?\d\.?)(s|min|h|d)$/.exec(text) ?? [undefined, text, 's'];
  const value = Number(digits);
  return digits.trim() === '' || Number.isNaN(value) ? null : value * (UNITS[unit] ?? 1);
}

function unquoted(text: string): string {
  return text.replace(/^"([^"]*)"$/, '$1');
}

function patternIn(text: string): ReturnType<typeof compile> {
  return compile(/^\/(.+)\/i?$/.exec(text)?.[1] ?? unquoted(text), true);
}

function parseWord(word: string): Term | string {
  const negate = word.length > 1 && word.startsWith('-');
  const body = negate ? word.slice(1) : word;
  if (body.startsWith('"')) return { negate, kind: 'text', text: unquoted(body).toLowerCase() };
  if (/^\/.+\/i?$/.test(body)) {
    const { pattern, problem } = patternIn(body);
    return pattern === null ? (problem ?? '') : { negate, kind: 'regex', pattern };
  }
  const field = /^(status|tag|note|label|host):(.*)$/.exec(body);
  if (field) return { negate, kind: 'field', field: field[1] as Prefixed, text: (field[2] ?? '').toLowerCase() };
  const [, name, operator, right] = COMPARE.exec(body) ?? [];
  if (name !== undefined && operator !== undefined && right !== undefined) {
    if (operator === '=~') {
      const { pattern, problem } = patternIn(right);
      return pattern === null ? (problem ?? '') : { negate, kind: 'match', field: name, pattern };
    }
    if (operator === '<' || operator === '<=' || operator === '>' || operator === '>=') {
      const value = numberIn(right);
      return value === null
        ? `${body} needs a number, for example ${name} < 0.1.`
        : { negate, kind: 'order', field: name, operator, value };
    }
    // Run names often hold '=': lr=0.1 is text unless something of that name exists, which matching decides.
    const written = operator === '=' ? body.toLowerCase() : null;
    return { negate, kind: 'equal', field: name, text: unquoted(right), differs: operator === '!=', written };
  }
  return { negate, kind: 'text', text: body.toLowerCase() };
}

export function parseQuery(text: string): Query {
  const query: Query = { terms: [], problem: null };
  for (const word of text.match(TERMS) ?? []) {
    const term = parseWord(word);
    if (typeof term === 'string') query.problem = term;
    else query.terms.push(term);
  }
  return query;
}

/** The names that a search compares, so that their values can be fetched. */
export function comparedFields(query: Query): string[] {
  return query.terms.flatMap((term) => ('field' in term && term.kind !== 'field' ? [term.field] : []));
}

function inOrder(left: number, operator: Order, right: number): boolean {
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

/** Numbers as numbers; of several words, such as labels, one is enough. */
function isEqual(left: number | string, right: string): boolean {
  if (typeof left === 'number') return left === numberIn(right);
  const wanted = right.toLowerCase();
  return left.toLowerCase() === wanted || left.toLowerCase().split(', ').includes(wanted);
}

function nameHas(row: Row, text: string): boolean {
  return row.label.toLowerCase().includes(text) || row.name.toLowerCase().includes(text);
}

type Matcher = (row: Row) => boolean;

function matcherOf(term: Term, lookup: Lookup): Matcher {
  switch (term.kind) {
    case 'text':
      return (row) => nameHas(row, term.text);
    case 'regex':
      return (row) => term.pattern.test(row.label) || term.pattern.test(row.name);
    case 'field': {
      if (term.field === 'status') return (row) => row.runs.some((run) => run.status.startsWith(term.text));
      if (term.field === 'tag') return (row) => lookup.hasTag(row, term.text);
      const read = lookup.reader(term.field);
      return (row) =>
        String(read?.(row) ?? '')
          .toLowerCase()
          .includes(term.text);
    }
    case 'order': {
      const read = lookup.reader(term.field);
      return (row) => {
        const value = read?.(row);
        return typeof value === 'number' && inOrder(value, term.operator, term.value);
      };
    }
    case 'equal': {
      const read = lookup.reader(term.field);
      return (row) => {
        const value = read?.(row);
        if (value !== undefined) return isEqual(value, term.text) !== term.differs;
        return term.written !== null && nameHas(row, term.written);
      };
    }
    case 'match': {
      const read = lookup.reader(term.field);
      return (row) => {
        const value = read?.(row);
        return value !== undefined && term.pattern.test(String(value));
      };
    }
  }
}

/** Whether rows match; names of fields are looked up once. */
export function matcher(query: Query, lookup: Lookup): Matcher {
  const terms = query.terms.map((term) => ({ matches: matcherOf(term, lookup), negate: term.negate }));
  return (row) => terms.every(({ matches, negate }) => matches(row) !== negate);
}
