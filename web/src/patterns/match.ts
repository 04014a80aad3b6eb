// Matches a program against text in time that grows with their lengths: a place that failed once is never tried again.
import { isWord, type Instruction, type Program } from './parse';

/** Steps that one search may take; about a second. */
const MOST_STEPS = 30_000_000;

interface Undo {
  slot: number;
  before: number;
}

/** Counts the steps of many searches together. */
export interface Budget {
  left: number;
}

export const newBudget = (): Budget => ({ left: MOST_STEPS });

/** Where the groups of the first match begin and end, -1 for a group that took no part; null when nothing matches. */
export function search(program: Program, text: string, budget: Budget): number[] | null {
  const searching = new Search(program, text, budget);
  const failed = searching.table();
  for (let start = 0; start <= text.length && budget.left > 0; start++) {
    const found = searching.run(0, start, failed, null);
    if (found !== null) return found;
  }
  return null;
}

class Search {
  private readonly width: number;
  /** By lookahead: the places where a part of it has failed, whatever the place it was begun at. */
  private readonly looks = new Map<number, Uint8Array>();

  constructor(
    private readonly program: Program,
    private readonly text: string,
    private readonly budget: Budget,
  ) {
    this.width = text.length + 1;
  }

  table(): Uint8Array {
    return new Uint8Array(this.program.instructions.length * this.width);
  }

  /** As a backtracking matcher would, but each instruction is tried once at each place: what failed there fails again. */
  run(entry: number, start: number, failed: Uint8Array, tried: number[] | null): number[] | null {
    const { instructions, groups } = this.program;
    const { text, width, budget } = this;
    const slots = new Array<number>(2 * groups).fill(-1);
    const stack: (Undo | { pc: number; at: number })[] = [{ pc: entry, at: start }];
    for (let top = stack.pop(); top !== undefined && budget.left > 0; top = stack.pop()) {
      if ('slot' in top) {
        slots[top.slot] = top.before;
        continue;
      }
      let { pc, at } = top;
      for (;;) {
        const place = pc * width + at;
        if (failed[place] === 1 || --budget.left <= 0) break;
        failed[place] = 1;
        tried?.push(place);
        const one = instructions[pc] as Instruction;
        if (one.op === 'found') return slots;
        if (one.op === 'one') {
          if (at >= text.length || !one.fits(text.charCodeAt(at))) break;
          at += 1;
          pc += 1;
        } else if (one.op === 'split') {
          stack.push({ pc: one.second, at });
          pc = one.first;
        } else if (one.op === 'jump') {
          pc = one.to;
        } else if (one.op === 'save') {
          stack.push({ slot: one.slot, before: slots[one.slot] ?? -1 });
          slots[one.slot] = at;
          pc += 1;
        } else if (one.op === 'at') {
          if (!holds(one.what, text, at)) break;
          pc += 1;
        } else {
          if (this.ahead(pc, at) !== one.wanted) break;
          pc = one.end;
        }
      }
    }
    return null;
  }

  private ahead(pc: number, at: number): boolean {
    let failed = this.looks.get(pc);
    if (failed === undefined) this.looks.set(pc, (failed = this.table()));
    const tried: number[] = [];
    const found = this.run(pc + 1, at, failed, tried) !== null;
    // Some of what was tried led to the match, and has not failed.
    if (found) for (const place of tried) failed[place] = 0;
    return found;
  }
}

function holds(what: 'start' | 'end' | 'word' | 'inside', text: string, at: number): boolean {
  if (what === 'start') return at === 0;
  if (what === 'end') return at === text.length;
  const edge =
    isWord(at > 0 ? text.charCodeAt(at - 1) : undefined) !== isWord(text.length > at ? text.charCodeAt(at) : undefined);
  return edge === (what === 'word');
}
