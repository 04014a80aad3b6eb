// Markdown of logs is laid out, and HTML in it stays text; what cleans the result is tested in a real browser.
import { describe, expect, it, vi } from 'vitest';
import { layOut } from './layout';
import { Closings } from './math';

describe('what Markdown says', () => {
  it('is laid out: headings, lists, tables, code and quotes', () => {
    expect(layOut('# Title\n\n- *one*\n- `two`')).toContain('<h1>Title</h1>');
    expect(layOut('- *one*\n- `two`')).toContain('<li><em>one</em></li>');
    expect(layOut('|a|b|\n|-|-|\n|1|2|')).toContain('<td>1</td>');
    expect(layOut('```\nx = 1\n```')).toContain('<pre><code>x = 1');
    expect(layOut('> so')).toContain('<blockquote>');
  });

  it('keeps the alignment of columns, and has boxes to tick', () => {
    const table = layOut('|a|b|c|\n|:-|-:|-|\n|1|2|3|');
    expect(table).toContain('<td align="left">1</td>');
    expect(table).toContain('<th align="right">b</th>');
    expect(table).toContain('<td>3</td>');
    expect(layOut('- [ ] to do\n- [x] done\n- [y]')).toBe(
      '<ul>\n<li>☐ to do</li>\n<li>☑ done</li>\n<li>[y]</li>\n</ul>\n',
    );
  });

  it('keeps lines apart where that is asked for', () => {
    expect(layOut('lr: 1\nbatch: 2', true)).toContain('<br>');
    expect(layOut('lr: 1\nbatch: 2')).not.toContain('<br>');
  });

  it('may be mathematics, which is no Markdown inside', () => {
    expect(layOut('so $a_1 * b_1$ is')).toContain('<msub><mi>a</mi><mn>1</mn></msub>');
    expect(layOut('$$\\frac{1}{2}$$')).toContain('<mfrac>');
    expect(layOut('\\(x\\) and \\[y\\]').match(/<math/g)).toHaveLength(2);
    expect(layOut('it costs $5 and $6 more')).not.toContain('<math');
    expect(layOut('`$a$`')).not.toContain('<math');
  });

  it('shows a formula that is none as it was written', () => {
    expect(layOut('$\\frac{$')).not.toContain('<math');
    expect(layOut('$\\nothing{x}$')).toContain('<code>\\nothing{x}</code>');
  });

  it('has links, and images as links: a log must not make the page load anything', () => {
    expect(layOut('[there](https://example.org/?a=1&b=2)')).toContain('href="https://example.org/?a=1&amp;b=2"');
    expect(layOut('![chart](https://example.org/x.png)')).toContain('<a href="https://example.org/x.png">chart</a>');
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](data:text/html;base64,PHNjcmlwdD4=)',
    '![x](javascript:alert(1))',
    '![x" onerror="alert(1)](https://a)',
    '$\\href{javascript:alert(1)}{x}$',
    '$</math><img src=x onerror=alert(1)>$',
  ])('is no HTML and no odd link: %s', (text) => {
    expect(layOut(text)).not.toMatch(/<(script|img|svg)|href="(?!https:)|<[^>]*\son\w+=/i);
  });
});

it('finds the end of a formula, and knows money', () => {
  const dollar = { open: '$', close: '$', block: false };
  const closing = (text: string): number => new Closings(text).of(0, dollar);
  expect(closing('$x$')).toBe(2);
  expect(closing('$ x$')).toBe(-1);
  expect(closing('$5 and $6')).toBe(-1);
  expect(closing('$$')).toBe(-1);
  expect(closing(`$${'x'.repeat(6000)}$`)).toBe(-1);
});

it('looks through a text once for the ends of formulas', () => {
  for (const [open, close] of [
    ['\\(', '\\)'],
    ['\\[', '\\]'],
  ] as const) {
    const count = 99_500;
    const search = vi.spyOn(String.prototype, 'indexOf');
    const closings = new Closings(open.repeat(count) + close);
    const ends = Array.from({ length: count }, (_, place) => closings.of(2 * place, { open, close, block: false }));
    const searches = search.mock.calls.length;
    search.mockRestore();
    expect(searches).toBe(1);
    expect(ends.filter((end) => end >= 0)).toHaveLength(2500);
    expect(layOut(open.repeat(count))).not.toContain('<math');
  }
});
