// Mathematics in Markdown: $…$ and \(…\) in a line, $$…$$ and \[…\] as blocks; what is inside is for TeX and not for Markdown.
import type { MarkdownIt } from 'markdown-it';

/** Turns TeX into MathML as text. */
export type RenderTex = (tex: string, block: boolean) => string;

const LONGEST = 5000;

interface Delimiters {
  open: string;
  close: string;
  block: boolean;
}

/** Longer ones first, because $$ begins with $. */
const IN_LINES: readonly Delimiters[] = [
  { open: '$$', close: '$$', block: true },
  { open: '\\[', close: '\\]', block: true },
  { open: '\\(', close: '\\)', block: false },
  { open: '$', close: '$', block: false },
];

/** Finds closing delimiters in one text; what was looked through once is not looked through again. */
export class Closings {
  /** By delimiter: between the two places there is none, and it stands at the second, or nowhere when that is -1. */
  private readonly known = new Map<string, { from: number; end: number }>();

  constructor(private readonly text: string) {}

  /** Where the formula that begins at `start` ends; -1 when it is no formula, such as "$5 and $6". */
  of(start: number, { open, close }: Delimiters): number {
    const from = start + open.length;
    const end = this.next(close, from);
    if (end <= from || end - from > LONGEST) return -1;
    if (open !== '$') return end;
    const { text } = this;
    const spaced = /\s/.test(text[from] ?? ' ') || /\s/.test(text[end - 1] ?? ' ');
    return spaced || /\d/.test(text[end + 1] ?? '') ? -1 : end;
  }

  private next(close: string, from: number): number {
    const known = this.known.get(close);
    if (known !== undefined && known.from <= from && (known.end < 0 || from <= known.end)) return known.end;
    const end = this.text.indexOf(close, from);
    this.known.set(close, { from, end });
    return end;
  }
}

export function addMath(markdown: MarkdownIt, render: RenderTex): void {
  let closings = new Closings('');
  let text = '';
  markdown.inline.ruler.before('escape', 'math', (state, silent) => {
    if (state.src !== text) {
      text = state.src;
      closings = new Closings(text);
    }
    const how = IN_LINES.find(({ open }) => state.src.startsWith(open, state.pos));
    const end = how === undefined ? -1 : closings.of(state.pos, how);
    if (how === undefined || end < 0) return false;
    if (!silent) {
      const token = state.push('math', '', 0);
      token.content = state.src.slice(state.pos + how.open.length, end);
      token.meta = { block: how.block };
    }
    state.pos = end + how.close.length;
    return true;
  });
  markdown.renderer.rules.math = (tokens, place) => {
    const token = tokens[place];
    const block = (token?.meta as { block?: boolean } | null)?.block === true;
    return render(token?.content ?? '', block);
  };
}
