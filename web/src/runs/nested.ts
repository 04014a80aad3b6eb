// Reads settings that have settings inside: JSON, what Python prints of dictionaries and lists, and plain YAML.

/** What is inside, by path; a value that is no container is its text. */
export type Leaves = [path: string[], text: string][];

const MOST_DEPTH = 40;
const MOST_CHARACTERS = 1_000_000;
const MOST_LEAVES = 20_000;
/** A number or a word that JSON or Python knows. */
const BARE = /[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|true|false|null|True|False|None|NaN|nan|-?Infinity|-?inf/y;
/** Text inside of a list or map of YAML. */
const WORD = /[^,:[\]{}'"\s][^,:[\]{}]*/y;
const SPACE = /\s*/y;
const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };

class NotNested extends Error {}

/** JSON, and Python's dictionaries, lists and tuples of strings, numbers, True, False and None. */
class Literals {
  private at = 0;
  private readonly leaves: Leaves = [];

  /** `words` allows text without quotation marks, as YAML does. */
  constructor(
    private readonly text: string,
    private readonly words = false,
  ) {}

  /** Raises NotNested for anything else. */
  read(): Leaves {
    this.container([], 0);
    this.skip();
    if (this.at < this.text.length) throw new NotNested();
    return this.leaves;
  }

  private skip(): void {
    SPACE.lastIndex = this.at;
    SPACE.test(this.text);
    this.at = SPACE.lastIndex;
  }

  private takes(character: string): boolean {
    this.skip();
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private container(path: string[], depth: number): void {
    this.skip();
    const open = this.text[this.at] ?? '';
    const close = CLOSING[open];
    if (close === undefined || depth > MOST_DEPTH) throw new NotNested();
    this.at += 1;
    for (let place = 0; !this.takes(close); place++) {
      if (place > 0 && !this.takes(',')) throw new NotNested();
      if (place > 0 && this.takes(close)) return; // a comma at the end
      const key = open === '{' ? this.atom() : `[${place}]`;
      if (open === '{' && !this.takes(':')) throw new NotNested();
      this.value([...path, key], depth);
      if (this.leaves.length > MOST_LEAVES) throw new NotNested();
    }
    if (this.text[this.at - 2] === open) this.leaves.push([path, open + close]);
  }

  private value(path: string[], depth: number): void {
    this.skip();
    if (CLOSING[this.text[this.at] ?? ''] !== undefined) this.container(path, depth + 1);
    else this.leaves.push([path, this.atom()]);
  }

  private atom(): string {
    this.skip();
    const quote = this.text[this.at];
    if (quote === '"' || quote === "'") return this.quoted(quote);
    const pattern = this.words ? WORD : BARE;
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) throw new NotNested();
    this.at = pattern.lastIndex;
    return found[0].trimEnd();
  }

  private quoted(quote: string): string {
    let text = '';
    for (this.at += 1; this.at < this.text.length; this.at++) {
      const character = this.text.charAt(this.at);
      if (character === quote) {
        this.at += 1;
        return text;
      }
      if (character === '\\') this.at += 1;
      text += this.text.charAt(this.at);
    }
    throw new NotNested();
  }
}

const LINE = /^( *)((?:- +)*)(?:("[^"]*"|'[^']*'|[^\s:#\-[\]{}"'][^:#]*?) *:(?: +(.*))?|(.*))$/;

interface Opened {
  indent: number;
  path: string[];
  items: number;
}

/** Maps and lists by indentation, as configurations are written; anything else of YAML is none. */
function readYaml(text: string): Leaves {
  const leaves: Leaves = [];
  const opened: Opened[] = [{ indent: -1, path: [], items: 0 }];
  let keys = 0;
  for (const raw of text.split('\n')) {
    const line = raw.replace(/\s+#.*$|\s+$/, '');
    if (line === '' || line === '---' || line.trimStart().startsWith('#')) continue;
    const found = LINE.exec(line);
    if (found === null) throw new NotNested();
    const [, spaces = '', dashes = '', key, value, plain] = found;
    let indent = spaces.length;
    const close = (): Opened => {
      while (opened.length > 1 && (opened.at(-1)?.indent ?? -1) >= indent) opened.pop();
      return opened.at(-1) as Opened;
    };
    for (const dash of dashes.match(/- +/g) ?? []) {
      // A list may stand as deep as the key that it belongs to.
      while (opened.length > 1 && (opened.at(-1)?.indent ?? -1) > indent) opened.pop();
      let list = opened.at(-1) as Opened;
      if (list.indent === indent && list.path.at(-1)?.startsWith('[') === true) {
        opened.pop();
        list = opened.at(-1) as Opened;
      }
      opened.push({ indent, path: [...list.path, `[${list.items++}]`], items: 0 });
      indent += dash.length;
      if (opened.length > MOST_DEPTH) throw new NotNested();
    }
    if (key === undefined) {
      const last = opened.at(-1) as Opened;
      if (dashes === '' || plain === undefined || plain === '') throw new NotNested();
      add(leaves, last.path, plain);
      continue;
    }
    keys += 1;
    const path = [...close().path, unquoted(key)];
    if (value === undefined) opened.push({ indent, path, items: 0 });
    else add(leaves, path, value);
    if (leaves.length > MOST_LEAVES || opened.length > MOST_DEPTH) throw new NotNested();
  }
  if (keys < 2) throw new NotNested();
  return leaves;
}

function unquoted(text: string): string {
  return /^(["']).*\1$/s.test(text) ? text.slice(1, -1) : text;
}

function add(leaves: Leaves, path: string[], text: string): void {
  const inner = /^[[{]/.test(text) ? attempt(() => new Literals(text, true).read()) : null;
  if (inner === null) leaves.push([path, unquoted(text)]);
  else for (const [below, value] of inner) leaves.push([[...path, ...below], value]);
}

function attempt(read: () => Leaves): Leaves | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotNested) return null;
    throw error;
  }
}

/** What is inside of a container that is written as a literal; null for anything else. */
export function leavesOfLiteral(text: string): Leaves | null {
  const trimmed = text.trim();
  if (!/^[[{(]/.test(trimmed) || trimmed.length > MOST_CHARACTERS) return null;
  return attempt(() => new Literals(trimmed).read());
}

const FENCE = /^\s*(```|~~~)[a-z]*\n(.*?)\n?\1\s*$/is;
const HTML_PRE = /^\s*<pre>(.*)<\/pre>\s*$/is;

/** What is inside of a text that is a configuration, also one that is fenced or indented as code; null for any other text. */
export function leavesOfText(text: string): Leaves | null {
  if (text.length > MOST_CHARACTERS) return null;
  const inner = FENCE.exec(text)?.[2] ?? HTML_PRE.exec(text)?.[1] ?? text;
  const lines = inner.replaceAll('\r', '').split('\n');
  // Code in Markdown is four spaces deep.
  const isCode = lines.every((line) => line.trim() === '' || line.startsWith('    '));
  const plain = isCode ? lines.map((line) => line.slice(4)).join('\n') : lines.join('\n');
  return leavesOfLiteral(plain) ?? attempt(() => readYaml(plain));
}
