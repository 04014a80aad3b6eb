// Settings read as numbers of the page do, and those that differ never read alike.
import { expect, it } from 'vitest';
import { settingText, settingTexts } from './setting-text';

it.each([
  ['0.000123456789012', '0.0001235'],
  ['1.23456789012e-05', '1.235e−5'],
  ['-0.333333333333', '−0.3333'],
  ['0.001', '0.001'],
  ['1234567890123', '1234567890123'],
  ['resnet50.pretrained', 'resnet50.pretrained'],
  ['', ''],
])('writes %s as %s', (logged, text) => {
  expect(settingText(logged)).toBe(text);
});

it('gives as many digits as it takes to tell two apart', () => {
  expect(settingTexts(['0.12345678', '0.12399999', undefined])).toEqual(['0.1235', '0.124', undefined]);
  expect(settingTexts(['0.12345678', '0.12345699'])).toEqual(['0.1234568', '0.123457']);
  expect(settingTexts(['0.10000000', '0.1000000000'])).toEqual(['0.10000000', '0.1000000000']);
});
