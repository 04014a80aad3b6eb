// Regular expressions that somebody typed or a link brought: they match as JavaScript's do, but never take for ever.
import { newBudget, search, type Budget } from './match';
import { parse, type Program } from './parse';

/** What is needed of a RegExp. */
export interface Pattern {
  test(text: string): boolean;
  /** The match and its groups, an empty text for one that took no part; null when nothing matches. */
  exec(text: string): string[] | null;
}

const LONGEST_TEXT = 2000;
const LONGEST_PATTERN = 1000;
const REFILL_MS = 1000;

/** The pattern, or why there is none. */
export function compile(text: string, folded: boolean): { pattern: Pattern | null; problem: string | null } {
  try {
    new RegExp(text, folded ? 'i' : '');
  } catch {
    return { pattern: null, problem: `${text} is not a regular expression.` };
  }
  if (text.length > LONGEST_PATTERN) return { pattern: null, problem: 'The regular expression is too long.' };
  const program = parse(text, folded);
  if (program === null) {
    return { pattern: null, problem: `${text} uses a back reference or a lookbehind, which are too slow to match.` };
  }
  return { pattern: new Linear(program), problem: null };
}

class Linear implements Pattern {
  private budget: Budget = newBudget();
  private since = 0;

  constructor(private readonly program: Program) {}

  test(text: string): boolean {
    return this.search(text) !== null;
  }

  exec(text: string): string[] | null {
    const slots = this.search(text);
    if (slots === null) return null;
    const ends = Array.from({ length: this.program.groups }, (_, group) => group);
    return ends.map((group) => {
      const begin = slots[2 * group] ?? -1;
      const end = slots[2 * group + 1] ?? -1;
      return begin < 0 || end < begin ? '' : text.slice(begin, end);
    });
  }

  /** Very many long names share a budget, which is refilled each second; beyond it nothing matches. */
  private search(text: string): number[] | null {
    const now = Date.now();
    if (now - this.since > REFILL_MS) {
      this.since = now;
      this.budget = newBudget();
    }
    return search(this.program, text.slice(0, LONGEST_TEXT), this.budget);
  }
}
