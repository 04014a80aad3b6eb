// Markdown from logs as nodes of the page. Logs are hostile: HTML in them is text, links lead out by a click alone, nothing is loaded,
// and whatever the libraries make is cleaned again before it becomes part of the page.
import createPurifier, { type Config } from 'dompurify';
import 'temml/dist/Temml-Local.css';
import { layOut } from './layout';

const HTML = [
  'a',
  'blockquote',
  'br',
  'code',
  'del',
  'em',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'hr',
  'li',
  'ol',
  'p',
  'pre',
  's',
  'strong',
  'table',
  'tbody',
  'td',
  'th',
  'thead',
  'tr',
  'ul',
  'span',
];
const MATH = [
  'math',
  'menclose',
  'merror',
  'mfrac',
  'mi',
  'mmultiscripts',
  'mn',
  'mo',
  'mover',
  'mpadded',
  'mphantom',
  'mprescripts',
  'mroot',
  'mrow',
  'ms',
  'mspace',
  'msqrt',
  'mstyle',
  'msub',
  'msubsup',
  'msup',
  'mtable',
  'mtd',
  'mtext',
  'mtr',
  'munder',
  'munderover',
];
const MATH_ATTRIBUTES = [
  'accent',
  'accentunder',
  'columnalign',
  'columnspan',
  'depth',
  'display',
  'displaystyle',
  'fence',
  'form',
  'height',
  'largeop',
  'linethickness',
  'lspace',
  'mathvariant',
  'maxsize',
  'minsize',
  'movablelimits',
  'rowspan',
  'rspace',
  'scriptlevel',
  'separator',
  'stretchy',
  'symmetric',
  'voffset',
  'width',
];
const WORDS = ['start', 'align', ...MATH_ATTRIBUTES];
const CLEAN: Config = {
  ALLOWED_TAGS: [...HTML, ...MATH],
  ALLOWED_ATTR: ['href', ...WORDS],
  // Every other value must look like an address that is allowed.
  ADD_URI_SAFE_ATTR: WORDS,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
  RETURN_DOM_FRAGMENT: true,
};

const purifier = createPurifier(window);
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName !== 'A') return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer nofollow');
});

/** The text as nodes that can do nothing but be read and clicked. */
export function renderMarkdown(text: string, breaks = false): DocumentFragment {
  return purifier.sanitize(layOut(text, breaks), CLEAN) as unknown as DocumentFragment;
}
