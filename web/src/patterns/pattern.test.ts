// Patterns match as JavaScript's regular expressions do, and those that would never end there end here.
import { describe, expect, it } from 'vitest';
import { newBudget, search } from './match';
import { parse } from './parse';
import { compile } from './pattern';

const PATTERNS = [
  'loss', '^loss$', 'a|b|cd', 'train/.*loss', '(a|ab)(c|bcd)(d*)', '[a-c]+x?', '[^/]+$', '\\d{2,3}', 'x{0}y', '(?:ab)+', 'a*?b',
  '^(?!val)', '^(?!.*(val|test)).*loss', 'lr=(\\d+\\.?\\d*)', '(?<name>seed)_?(\\d+)', '\\bacc\\b', '\\Bcc', '[\\w.-]+', '\\x61', 'a{2,}',
  '(a?)+', '(a*)*', '((a)|(b))+', '', '(|a)b', '[]a', '[^]', '\\/', 'a\\.b', '.', '\\s', '[\\]x]', '(?=.*a)b', 'é', 'ß|ss',
]; // prettier-ignore
const TEXTS = [
  '', 'loss', 'LOSS', 'train/loss', 'val/loss', 'test/loss/a', 'abcd', 'abcdd', 'aaaa', 'lr=0.01', 'lr=1', 'run_seed_3', 'seed7 acc',
  'accuracy', 'x.y-z', 'a/b/c', 'aXb', 'tab\there', 'a\nb', ']x', 'baab', 'É', 'STRASSE', 'bbb', 'a', 'ab', 'b',
]; // prettier-ignore

describe('a pattern', () => {
  for (const text of PATTERNS) {
    it(`matches as JavaScript does: ${text}`, () => {
      for (const folded of [false, true]) {
        const expected = new RegExp(text, folded ? 'i' : '');
        const { pattern, problem } = compile(text, folded);
        expect(problem).toBeNull();
        for (const name of TEXTS) {
          const found = expected.exec(name);
          expect(pattern?.test(name), `${text} on ${name}`).toBe(found !== null);
          expect(pattern?.exec(name)?.[0], `${text} on ${name}`).toBe(found?.[0]);
        }
      }
    });
  }

  it('gives the groups', () => {
    const { pattern } = compile('(\\w+)_(seed)?(\\d+)', false);
    expect(pattern?.exec('run_seed3')).toEqual(['run_seed3', 'run', 'seed', '3']);
    expect(pattern?.exec('run_3')).toEqual(['run_3', 'run', '', '3']);
  });

  it('says what is wrong', () => {
    for (const text of ['(', '[', 'a**', '(a)\\1', '(?<=a)b', 'a'.repeat(2000), '(a{1,1000}){1,1000}']) {
      const { pattern, problem } = compile(text, true);
      expect(pattern, text).toBeNull();
      expect(problem, text).toMatch(/\.$/);
    }
  });
});

describe('a pattern that would never end', () => {
  for (const text of [
    '(a+)+$',
    '(a|a)*b',
    '(a*)*c',
    '(.*)*x',
    'a*a*a*a*a*a*b',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(?=(a+)+$)b',
  ]) {
    it(`ends: ${text}`, () => {
      const { pattern } = compile(text, true);
      for (let count = 0; count < 50; count++) expect(pattern?.test(`${'a'.repeat(500)}!`)).toBe(false);
    });
  }
});

describe('a program', () => {
  it('has groups, and is refused where it would be too long or refer back', () => {
    expect(parse('(a)(?:b)(c)', false)?.groups).toBe(3);
    for (const text of ['(a)\\1', '(a{1,1000}){1,1000}', '('.repeat(200) + ')'.repeat(200)])
      expect(parse(text, false)).toBeNull();
  });

  it('stops when its steps are used up', () => {
    const program = parse('(a+)+b', false);
    if (program === null) throw new Error('the pattern is good');
    const budget = newBudget();
    expect(search(program, 'aab', budget)).toEqual([0, 3, 0, 2]);
    budget.left = 5;
    expect(search(program, 'a'.repeat(100), budget)).toBeNull();
    expect(budget.left).toBeLessThanOrEqual(0);
  });
});
