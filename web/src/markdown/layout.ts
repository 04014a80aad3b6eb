// Markdown as HTML text in which nothing of the source is HTML; what it makes is cleaned before it becomes part of the page.
import MarkdownIt from 'markdown-it';
import temml from 'temml';
import { addMath } from './math';

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false });
markdown.validateLink = (url) => /^(?:https?|mailto):/i.test(url.trim());
// An image from elsewhere would tell its server who reads the log: its words stay, and its address is a link.
markdown.renderer.rules.image = (tokens, place) => {
  const token = tokens[place];
  const words = markdown.utils.escapeHtml(token?.content ?? '');
  const address = markdown.utils.escapeHtml(String(token?.attrGet('src') ?? ''));
  return `<a href="${address}">${words === '' ? address : words}</a>`;
};
// Styles do not pass the page's policy; a column's alignment is an attribute that may.
markdown.renderer.rules.th_open = markdown.renderer.rules.td_open = (tokens, place) => {
  const token = tokens[place];
  const side = /^text-align:(left|right|center)$/.exec(String(token?.attrGet('style') ?? ''))?.[1];
  return side === undefined ? `<${token?.tag}>` : `<${token?.tag} align="${side}">`;
};
// "[ ] this" and "[x] that" in a list are boxes to tick.
markdown.core.ruler.push('boxes', ({ tokens }) => {
  tokens.forEach((token, place) => {
    const [first] = token.children ?? [];
    if (tokens[place - 2]?.type !== 'list_item_open' || first?.type !== 'text') return;
    first.content = first.content.replace(/^\[ \] /, '☐ ').replace(/^\[[xX]\] /, '☑ ');
  });
});
addMath(markdown, (tex, block) => {
  try {
    return temml.renderToString(tex, { displayMode: block, trust: false, throwOnError: true, maxExpand: 200 });
  } catch {
    return `<code>${markdown.utils.escapeHtml(tex)}</code>`;
  }
});

/** With `breaks` the end of a line is kept. */
export function layOut(text: string, breaks = false): string {
  return markdown.set({ breaks }).render(text);
}
