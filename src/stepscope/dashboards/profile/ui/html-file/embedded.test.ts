// @vitest-environment happy-dom
// A saved report reads its answers from its own page.
import { afterEach, expect, it } from 'vitest';
import { embeddedAnswers } from './embedded';

afterEach(() => document.body.replaceChildren());

function embed(text: string): void {
  const script = Object.assign(document.createElement('script'), { id: 'answers', type: 'application/json' });
  script.textContent = text;
  document.body.append(script);
}

it('has what was written into it, whatever names it holds', () => {
  const answers = { name: 'a </b> "c" \u2028', wanted: { range: '2:4' }, report: { summary: 'x' } };
  embed(JSON.stringify(answers));
  expect(embeddedAnswers()).toEqual(answers);
});

it('is no report without answers', () => {
  expect(() => embeddedAnswers()).toThrow(SyntaxError);
  embed('{"name":');
  expect(() => embeddedAnswers()).toThrow(SyntaxError);
});
