// Parses a regular expression into a program for match.ts. What cannot be matched in linear time is refused: references back to groups.

export type Instruction =
  | { op: 'one'; fits: (code: number) => boolean }
  | { op: 'split'; first: number; second: number }
  | { op: 'jump'; to: number }
  | { op: 'save'; slot: number }
  | { op: 'at'; what: 'start' | 'end' | 'word' | 'inside' }
  | { op: 'look'; ahead: boolean; wanted: boolean; end: number }
  | { op: 'found' };

export interface Program {
  instructions: readonly Instruction[];
  groups: number;
}

/** Instructions of a program; repeats are written out, so this bounds `{1,1000}` inside `{1,1000}`. */
const LONGEST = 2000;
const DEEPEST = 100;
const WORD = /\w/;

type Fits = (code: number) => boolean;

const digit: Fits = (code) => code >= 48 && code <= 57;
const word: Fits = (code) => digit(code) || code === 95 || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
const space: Fits = (code) => /\s/.test(String.fromCharCode(code));
const not =
  (fits: Fits): Fits =>
  (code) =>
    !fits(code);
const CLASSES: Record<string, Fits> = { d: digit, D: not(digit), w: word, W: not(word), s: space, S: not(space) };
const CONTROLS: Record<string, number> = { n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0 };

export const isWord = (code: number | undefined): boolean => code !== undefined && word(code);

/** Letters of either case are one when `folded`. */
function character(code: number, folded: boolean): Fits {
  const letter = String.fromCharCode(code);
  const upper = letter.toUpperCase();
  if (!folded || upper === letter.toLowerCase()) return (other) => other === code;
  return (other) => other === code || String.fromCharCode(other).toUpperCase() === upper;
}

/** The program, or null when the text is no regular expression, refers back, or is too long. */
export function parse(text: string, folded: boolean): Program | null {
  try {
    return new Parser(text, folded).program();
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

class Refused extends Error {}

class Parser {
  private at = 0;
  private groups = 1;
  private depth = 0;
  private readonly code: Instruction[] = [];

  constructor(
    private readonly text: string,
    private readonly folded: boolean,
  ) {}

  program(): Program {
    this.emit({ op: 'save', slot: 0 });
    this.alternatives();
    if (this.at < this.text.length) throw new Refused();
    this.emit({ op: 'save', slot: 1 });
    this.emit({ op: 'found' });
    return { instructions: this.code, groups: this.groups };
  }

  private emit(instruction: Instruction): number {
    if (this.code.length >= LONGEST) throw new Refused();
    return this.code.push(instruction) - 1;
  }

  private take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  private alternatives(): void {
    if (++this.depth > DEEPEST) throw new Refused();
    const ends: number[] = [];
    for (;;) {
      const begin = this.code.length;
      this.sequence();
      if (!this.take('|')) break;
      this.insert(begin, { op: 'split', first: begin + 1, second: this.code.length + 2 });
      ends.push(this.emit({ op: 'jump', to: 0 }));
    }
    for (const end of ends) this.code[end] = { op: 'jump', to: this.code.length };
    this.depth -= 1;
  }

  private sequence(): void {
    while (this.at < this.text.length && this.text[this.at] !== '|' && this.text[this.at] !== ')') {
      const begin = this.code.length;
      const groups = this.groups;
      const repeats = this.atom();
      this.quantifier(begin, groups, repeats);
    }
  }

  /** Whether what was parsed can be repeated. */
  private atom(): boolean {
    const letter = this.text[this.at] ?? '';
    if (this.take('^')) return this.place('start');
    if (this.take('$')) return this.place('end');
    if (this.take('(')) return this.group();
    if (this.take('[')) return this.one(this.charset());
    if (this.take('\\')) return this.escape();
    if (this.take('.')) return this.one((code) => code !== 10 && code !== 13 && code !== 0x2028 && code !== 0x2029);
    if (letter === '*' || letter === '+' || letter === '?') throw new Refused();
    this.at += 1;
    return this.one(character(letter.charCodeAt(0), this.folded));
  }

  private one(fits: Fits): boolean {
    this.emit({ op: 'one', fits });
    return true;
  }

  private place(what: 'start' | 'end' | 'word' | 'inside'): boolean {
    this.emit({ op: 'at', what });
    return false;
  }

  private group(): boolean {
    const look = /^\?(<?)([=!])/.exec(this.text.slice(this.at, this.at + 3));
    if (look !== null) {
      this.at += look[0].length;
      if (look[1] === '<') throw new Refused();
      const begin = this.emit({ op: 'found' });
      this.alternatives();
      this.emit({ op: 'found' });
      this.code[begin] = { op: 'look', ahead: true, wanted: look[2] === '=', end: this.code.length };
    } else {
      const named = /^\?<[A-Za-z_$][\w$]*>/.exec(this.text.slice(this.at, this.at + 200));
      const slot = this.take('?:') ? null : this.groups++;
      if (named !== null) this.at += named[0].length;
      else if (this.text[this.at] === '?') throw new Refused();
      if (slot !== null) this.emit({ op: 'save', slot: 2 * slot });
      this.alternatives();
      if (slot !== null) this.emit({ op: 'save', slot: 2 * slot + 1 });
    }
    if (!this.take(')')) throw new Refused();
    return look === null;
  }

  private escape(): boolean {
    const letter = this.text[this.at];
    if (letter === undefined) throw new Refused();
    if (letter === 'b' || letter === 'B') {
      this.at += 1;
      return this.place(letter === 'b' ? 'word' : 'inside');
    }
    if (letter === 'k' || (letter >= '1' && letter <= '9')) throw new Refused();
    return this.one(this.escaped());
  }

  /** What an escape stands for, in or outside of brackets. */
  private escaped(): Fits {
    const letter = this.text[this.at++];
    if (letter === undefined) throw new Refused();
    const known = CLASSES[letter];
    if (known !== undefined) return known;
    const hex = letter === 'x' ? 2 : letter === 'u' ? 4 : 0;
    const digits = this.text.slice(this.at, this.at + hex);
    if (hex > 0 && digits.length === hex && /^[0-9a-fA-F]+$/.test(digits)) {
      this.at += hex;
      return character(parseInt(digits, 16), this.folded);
    }
    if (WORD.test(letter) && CONTROLS[letter] === undefined && hex === 0) throw new Refused();
    return character(CONTROLS[letter] ?? letter.charCodeAt(0), this.folded);
  }

  private charset(): Fits {
    const negated = this.take('^');
    const parts: Fits[] = [];
    while (!this.take(']')) {
      const low = this.member();
      if (this.text[this.at] !== '-' || this.text[this.at + 1] === ']' || low.code === null) {
        parts.push(low.fits);
        continue;
      }
      this.at += 1;
      const high = this.member();
      if (high.code === null || high.code < low.code) throw new Refused();
      parts.push(between(low.code, high.code, this.folded));
    }
    const any: Fits = (code) => parts.some((fits) => fits(code));
    return negated ? not(any) : any;
  }

  private member(): { fits: Fits; code: number | null } {
    const letter = this.text[this.at];
    if (letter === undefined) throw new Refused();
    this.at += 1;
    if (letter !== '\\') return { fits: character(letter.charCodeAt(0), this.folded), code: letter.charCodeAt(0) };
    const next = this.text[this.at] ?? '';
    if (next === 'b') {
      this.at += 1;
      return { fits: character(8, false), code: 8 };
    }
    const fits = this.escaped();
    const plain = CLASSES[next] === undefined && !/[xu]/.test(next);
    return { fits, code: plain ? (CONTROLS[next] ?? next.charCodeAt(0)) : null };
  }

  private quantifier(begin: number, groups: number, repeats: boolean): void {
    const found = /^(?:([*+?])|\{(\d{1,5})(,(\d{0,5}))?\})/.exec(this.text.slice(this.at, this.at + 16));
    if (found === null) return;
    if (!repeats) throw new Refused();
    this.at += found[0].length;
    const least = found[1] === undefined ? Number(found[2]) : found[1] === '+' ? 1 : 0;
    const most =
      found[1] === undefined
        ? found[3] === undefined
          ? least
          : found[4] === ''
            ? Infinity
            : Number(found[4])
        : found[1] === '?'
          ? 1
          : Infinity;
    if (most < least) throw new Refused();
    const lazy = this.take('?');
    const body = this.code.splice(begin);
    this.groups = Math.max(this.groups, groups);
    for (let count = 0; count < least; count++) this.copy(body, begin);
    if (most === Infinity) this.loop(body, begin, lazy);
    else for (let count = least; count < most; count++) this.optional(body, begin, lazy);
  }

  /** The body again, with its targets where it now lies. */
  private copy(body: readonly Instruction[], from: number): void {
    const moved = this.code.length - from;
    for (const one of body) this.emit(shifted(one, moved));
  }

  private loop(body: readonly Instruction[], from: number, lazy: boolean): void {
    const split = this.emit({ op: 'found' });
    this.copy(body, from);
    this.emit({ op: 'jump', to: split });
    this.code[split] = choice(split + 1, this.code.length, lazy);
  }

  private optional(body: readonly Instruction[], from: number, lazy: boolean): void {
    const split = this.emit({ op: 'found' });
    this.copy(body, from);
    this.code[split] = choice(split + 1, this.code.length, lazy);
  }

  private insert(place: number, instruction: Instruction): void {
    const behind = this.code.splice(place);
    this.emit(instruction);
    for (const one of behind) this.emit(shifted(one, 1));
  }
}

function choice(inside: number, behind: number, lazy: boolean): Instruction {
  return lazy ? { op: 'split', first: behind, second: inside } : { op: 'split', first: inside, second: behind };
}

function between(low: number, high: number, folded: boolean): Fits {
  const inside: Fits = (code) => code >= low && code <= high;
  if (!folded) return inside;
  return (code) => {
    const letter = String.fromCharCode(code);
    return inside(code) || inside(letter.toUpperCase().charCodeAt(0)) || inside(letter.toLowerCase().charCodeAt(0));
  };
}

function shifted(one: Instruction, by: number): Instruction {
  switch (one.op) {
    case 'split':
      return { op: 'split', first: one.first + by, second: one.second + by };
    case 'jump':
      return { op: 'jump', to: one.to + by };
    case 'look':
      return { ...one, end: one.end + by };
    default:
      return one;
  }
}
