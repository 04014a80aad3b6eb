// Patterns over tags as training scripts write them: Python's regular expressions, matched from the tag's start.

/** Tags drawn in one chart. */
export const MOST_TAGS = 100;

export interface Matched {
  /** The first of them. */
  tags: readonly string[];
  /** How many match. */
  all: number;
  problem: string | null;
}

/** What Python spells otherwise; an escaped backslash is passed over, so that what follows it stays as it is. */
function translated(text: string): string {
  return text.replace(/\\([\s\S])|\(\?P<|\(\?P=(\w+)\)/g, (whole, escaped?: string, name?: string) => {
    if (escaped === 'A') return '^';
    if (escaped === 'Z') return '$';
    if (escaped !== undefined) return whole;
    return name === undefined ? '(?<' : `\\k<${name}>`;
  });
}

export function compilePattern(text: string): RegExp | null {
  const folded = text.startsWith('(?i)');
  try {
    return new RegExp(translated(folded ? text.slice(4) : text), folded ? 'iy' : 'y');
  } catch {
    return null;
  }
}

export const notAPattern = (text: string): string => `${text} is not a regular expression.`;
export const tooSlow = (text: string): string => `${text} is too slow to match. Write it without nested repeats.`;

/** May take for ever: runs in a worker that can be ended. */
export function matchTags(text: string, tags: readonly string[]): Matched {
  const pattern = compilePattern(text);
  if (pattern === null) return { tags: [], all: 0, problem: notAPattern(text) };
  const found = tags.filter((tag) => {
    pattern.lastIndex = 0;
    return pattern.test(tag);
  });
  return { tags: found.slice(0, MOST_TAGS), all: found.length, problem: null };
}

/** A pattern that matches this tag alone. */
export function patternOf(tag: string): string {
  return `${tag.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`;
}
