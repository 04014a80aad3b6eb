// @vitest-environment happy-dom
// What is laid out is cleaned by rules that let nothing act or load. The cleaner itself needs a real browser: tests/browser has it.
import type { Config } from 'dompurify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

type Hook = (node: Element) => void;
let config: Config;
let cleaned: string;
let hook: Hook;
let render: (text: string, breaks?: boolean) => DocumentFragment;

beforeAll(async () => {
  vi.resetModules();
  vi.doMock('dompurify', () => ({
    default: () => ({
      addHook: (_: string, added: Hook) => (hook = added),
      sanitize: (html: string, given: Config) => {
        [cleaned, config] = [html, given];
        return document.createDocumentFragment();
      },
    }),
  }));
  ({ renderMarkdown: render } = await import('./render'));
  render('# Title');
});
afterAll(() => {
  vi.doUnmock('dompurify');
  vi.resetModules();
});

it('cleans what the text is laid out as', () => {
  render('a\nb', true);
  expect(cleaned).toContain('<br>');
  render('a\nb');
  expect(cleaned).not.toContain('<br>');
});

describe('the rules', () => {
  it('have no element that acts, loads or styles', () => {
    const allowed = new Set(config.ALLOWED_TAGS);
    expect(['h1', 'table', 'code', 'math', 'mfrac'].filter((tag) => !allowed.has(tag))).toEqual([]);
    const refused = [
      'script',
      'img',
      'iframe',
      'svg',
      'style',
      'form',
      'input',
      'object',
      'embed',
      'video',
      'link',
      'meta',
      'base',
    ];
    expect(refused.filter((tag) => allowed.has(tag))).toEqual([]);
  });

  it('have no attribute that acts, loads or styles', () => {
    const allowed = config.ALLOWED_ATTR ?? [];
    expect(allowed).toContain('href');
    expect(allowed.filter((name) => /^on|^(?:style|src|srcset|id|class|name|action)$/.test(name))).toEqual([]);
    expect([config.ALLOW_DATA_ATTR, config.ALLOW_ARIA_ATTR]).toEqual([false, false]);
  });

  it.each([
    ['https://example.org/', true],
    ['mailto:a@example.org', true],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['file:///etc/passwd', false],
    ['/api/v1/runs', false],
    ['x https://example.org', false],
  ])('let a link lead to %s: %s', (address, allowed) => {
    expect(config.ALLOWED_URI_REGEXP?.test(address)).toBe(allowed);
    expect(config.ADD_URI_SAFE_ATTR).not.toContain('href');
  });
});

it('opens links in a page that knows nothing of this one', () => {
  const link = document.createElement('a');
  const other = document.createElement('p');
  hook(link);
  hook(other);
  expect([link.getAttribute('target'), link.getAttribute('rel')]).toEqual(['_blank', 'noopener noreferrer nofollow']);
  expect(other.getAttributeNames()).toEqual([]);
});
