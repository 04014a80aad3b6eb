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

/** Where the closing delimiter of a formula that begins at `start` is; -1 when it is no formula, such as "$5 and $6". */
export function closing(text: string, start: number, { open, close }: Delimiters): number {
  const from = start + open.length;
  const end = text.indexOf(close, from);
  if (end <= from || end - from > LONGEST) return -1;
  if (open !== '$') return end;
  const spaced = /\s/.test(text[from] ?? ' ') || /\s/.test(text[end - 1] ?? ' ');
  return spaced || /\d/.test(text[end + 1] ?? '') ? -1 : end;
}

export function addMath(markdown: MarkdownIt, render: RenderTex): void {
  markdown.inline.ruler.before('escape', 'math', (state, silent) => {
    const how = IN_LINES.find(({ open }) => state.src.startsWith(open, state.pos));
    const end = how === undefined ? -1 : closing(state.src, state.pos, how);
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
