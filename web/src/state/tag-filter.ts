// The filter over tags: a regular expression, or why it is none.
import { compile, type Pattern } from '../patterns/pattern';

export function compileFilter(filter: string): { pattern: Pattern | null; problem: string | null } {
  return filter === '' ? { pattern: null, problem: null } : compile(filter, true);
}
