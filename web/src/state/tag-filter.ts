// The filter over tags: a regular expression, or why it is none.

export function compileFilter(filter: string): { pattern: RegExp | null; problem: string | null } {
  if (filter === '') return { pattern: null, problem: null };
  try {
    return { pattern: new RegExp(filter, 'i'), problem: null };
  } catch {
    return { pattern: null, problem: `${filter} is not a regular expression.` };
  }
}
