// Nothing that crosses HTTP is described twice: no type that the page writes down has the keys of a declared schema.
import { parse } from 'svelte/compiler';
import ts from 'typescript';
import { expect, it } from 'vitest';
import api from '../../../build/types/api.d.ts?raw';

const PAGE = import.meta.glob<string>(
  ['../**/*.{ts,svelte}', '../../../src/stepscope/dashboards/*/ui/**/*.{ts,svelte}'],
  { query: '?raw', import: 'default', eager: true },
);
/** Two keys may be the same by chance, such as `low` and `high`; three or more are a description of the same thing. */
const FEWEST_KEYS = 3;

interface Description {
  place: string;
  keys: Set<string>;
  /** What an interface extends, by name. */
  more: string[];
}

interface Known {
  described: Description[];
  byName: Map<string, Description>;
  /** Other names of types. */
  aliases: Map<string, string>;
}

/** What a component has of TypeScript. */
function scriptsOf(component: string): string {
  const { module, instance } = parse(component, { modern: true });
  return [module, instance]
    .map((script) => {
      if (!script) return '';
      const { start, end } = script.content as unknown as ts.TextRange & Record<'start' | 'end', number>;
      return component.slice(start, end);
    })
    .join('\n');
}

/** Every interface and type literal that a file writes down, and the names of types. */
function read(path: string, content: string, known: Known): Known {
  const script = path.endsWith('.svelte') ? scriptsOf(content) : content;
  const file = ts.createSourceFile(path, script, ts.ScriptTarget.ES2022, true);
  const visit = (node: ts.Node): void => {
    if (ts.isTypeAliasDeclaration(node) && ts.isTypeReferenceNode(node.type) && node.type.typeArguments === undefined) {
      known.aliases.set(node.name.text, node.type.typeName.getText(file));
    }
    if (ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node)) {
      const names = node.members.flatMap(({ name }) => (name === undefined ? [] : [name.getText(file)]));
      const heritage = ts.isInterfaceDeclaration(node) ? (node.heritageClauses ?? []) : [];
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
      const one = {
        place: `${path}:${line + 1}`,
        keys: new Set(names),
        more: heritage.flatMap(({ types }) => types.map(({ expression }) => expression.getText(file))),
      };
      known.described.push(one);
      if (ts.isInterfaceDeclaration(node)) known.byName.set(node.name.text, one);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return known;
}

const nothing = (): Known => ({ described: [], byName: new Map(), aliases: new Map() });

/** All keys of a type, with those of the interfaces that it extends. */
function keysOf(one: Description, known: readonly Known[], seen = new Set<Description>()): Set<string> {
  if (seen.has(one)) return new Set();
  seen.add(one);
  const keys = new Set(one.keys);
  for (const name of one.more) {
    const inner = named(name, known);
    if (inner !== undefined) for (const key of keysOf(inner, known, seen)) keys.add(key);
  }
  return keys;
}

function named(name: string, known: readonly Known[]): Description | undefined {
  for (const { byName, aliases } of known) {
    const other = aliases.get(name);
    const found = byName.get(name) ?? (other === undefined || other === name ? undefined : named(other, known));
    if (found !== undefined) return found;
  }
  return undefined;
}

const text = (keys: Set<string>): string => [...keys].sort().join(' ');

/** Where a type has all keys of a schema and no other, and which. */
function twins(files: Record<string, string>, declarations: string): string[] {
  const declared = read('$api', declarations, nothing());
  const schemas = new Map([...declared.byName].map(([name, one]) => [text(keysOf(one, [declared])), name]));
  const written = nothing();
  for (const [path, content] of Object.entries(files)) read(path, content, written);
  return written.described.flatMap((one) => {
    const keys = keysOf(one, [declared, written]);
    const schema = keys.size < FEWEST_KEYS ? undefined : schemas.get(text(keys));
    return schema === undefined ? [] : [`${one.place}: import ${schema} from '$api'`];
  });
}

it('has no type with the keys of a declared schema', { timeout: 60_000 }, () => {
  expect(Object.keys(PAGE).length).toBeGreaterThan(200);
  expect(twins(PAGE, api)).toEqual([]);
});

const ROW =
  'export interface SeriesName { run: string; tag: string }\nexport interface Row { run: string; tag: string; step: number }';

it.each([
  ['an interface', 'interface Mine { step: number; tag: string; run: string }'],
  [
    'one that extends what is declared',
    "import type { SeriesName } from '$api';\ninterface Mine extends SeriesName { step: number }",
  ],
  ['one that extends another name of it', 'type Ref = SeriesName;\ninterface Mine extends Ref { step: number }'],
  ['a type literal', 'const rows = (await answer.json()) as { run: string; tag: string; step: number }[];'],
])('notices %s', (_, mine) => {
  expect(twins({ 'a.ts': mine }, ROW)).toHaveLength(1);
});

it.each([
  ['fewer keys', 'interface Mine { run: string; tag: string }'],
  ['more keys', 'interface Mine { run: string; tag: string; step: number; shown: boolean }'],
  ['what is imported', "import type { Row } from '$api';\nexport type Mine = Row;"],
])('lets %s be', (_, mine) => {
  expect(twins({ 'a.ts': mine }, ROW)).toEqual([]);
});
