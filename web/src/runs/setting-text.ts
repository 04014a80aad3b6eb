// How settings read: a logged number as every other number of the page, anything else as it was logged.
import { formatValue } from '../draw/number';

/** 12 digits of a learning rate say nothing that four do not; whole numbers are seeds and sizes, which are read digit by digit. */
const LONG = /^[-+]?\d*\.\d+(e[-+]?\d+)?$/i;
const LONG_FROM = 8;
const MOST_DIGITS = 17;

const isLong = (logged: string): boolean => logged.length > LONG_FROM && LONG.test(logged);

export function settingText(logged: string, digits = 4): string {
  return isLong(logged) ? formatValue(Number(logged), digits) : logged;
}

/** Settings side by side: with as many digits as it takes to tell apart those that differ. */
export function settingTexts(logged: readonly (string | undefined)[]): (string | undefined)[] {
  const different = new Set(logged).size;
  for (let digits = 4; digits < MOST_DIGITS; digits++) {
    const texts = logged.map((one) => (one === undefined ? undefined : settingText(one, digits)));
    if (new Set(texts).size === different) return texts;
  }
  return [...logged];
}
