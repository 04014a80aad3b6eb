// The fonts hold every letter that the page itself writes, charts draw with the same ones, and a slow one holds nothing up.
import { expect, it } from 'vitest';
import css from './fonts.css?raw';
import { comesWithin } from './fonts';
import { fontFamily } from './theme';
import tokens from './tokens.css?raw';

/** Boxes to tick and signs for broken text come from logs, and from the system's fonts. */
const FROM_THE_SYSTEM = '☐☑\ufffd';
const sources = import.meta.glob<string>(
  ['../**/*.{ts,svelte}', '../../../src/stepscope/dashboards/*/ui/**/*.{ts,svelte}', '!**/*.test.ts'],
  { query: '?raw', import: 'default', eager: true },
);

function lettersOf(family: string): (letter: number) => boolean {
  const block = css.split('@font-face').find((one) => one.includes(`'${family}'`)) ?? '';
  const ranges = [...block.matchAll(/U\+([0-9A-F]+)(?:-([0-9A-F]+))?/g)].map(([, low, high]) => [
    parseInt(low ?? '', 16),
    parseInt(high ?? low ?? '', 16),
  ]);
  return (letter) => ranges.some(([low = NaN, high = NaN]) => letter >= low && letter <= high);
}

it('holds what the page writes', () => {
  expect(Object.keys(sources).length).toBeGreaterThan(300);
  const has = lettersOf('Inter');
  const lacking = Object.entries(sources).flatMap(([path, text]) =>
    [...text]
      .filter((letter) => letter > '~' && !FROM_THE_SYSTEM.includes(letter) && !has(letter.codePointAt(0) ?? 0))
      .map((letter) => `${letter} in ${path}`),
  );
  expect(lacking).toEqual([]);
});

it('holds the letters of names from code', () => {
  const has = lettersOf('JetBrains Mono');
  for (let letter = 0x20; letter < 0x7f; letter += 1) expect(has(letter), String.fromCodePoint(letter)).toBe(true);
});

it('is what charts draw with', () => {
  expect(tokens).toContain(`--font: ${fontFamily};`);
});

it('waits for fonts that come, and not for those that are late or refused', async () => {
  const faces = (load: () => Promise<unknown[]>): FontFaceSet => ({ load }) as unknown as FontFaceSet;
  expect(
    await comesWithin(
      1000,
      faces(() => Promise.resolve([{}])),
    ).inTime,
  ).toBe(true);
  expect(
    await comesWithin(
      1000,
      faces(() => Promise.reject(new Error('refused'))),
    ).inTime,
  ).toBe(false);
  let come = (_: unknown[]): void => undefined;
  const coming = new Promise<unknown[]>((done) => (come = done));
  const slow = comesWithin(
    1,
    faces(() => coming),
  );
  expect(await slow.inTime).toBe(false);
  come([{}]);
  expect(await slow.loaded).toBe(true);
});
