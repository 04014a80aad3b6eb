// Values have places on a ramp, or a colour each.
import { expect, test } from 'vitest';
import { runColour } from '../style/theme';
import { rampOf, valueColours } from './value-colours';

const ramp = rampOf('light');

test('numbers have places on a ramp, by their logarithm where they are tried by factors', () => {
  const colours = valueColours('lr', ['0.001', '1e-1', '0.01', undefined, '0.01'], 'auto', 'light');
  expect(colours.ramp).toMatchObject({ low: 0.001, high: 0.1, log: true, canLog: true });
  expect(colours.colourOf('0.001')).toBe(ramp[0]);
  expect(colours.colourOf('0.01')).toBe(ramp[16]);
  expect(colours.colourOf('1e-1')).toBe(ramp[31]);
  expect(colours.values.map(({ value, rows }) => [value, rows])).toContainEqual(['0.01', 2]);
  expect(colours.values.at(-1)).toMatchObject({ value: null, rows: 1, colour: colours.colourOf(undefined) });
});

test('the scale can be chosen, and a logarithm needs positive numbers', () => {
  const linear = valueColours('lr', ['0.001', '0.01', '0.1'], 'linear', 'light');
  expect(linear.colourOf('0.01')).toBe(ramp[3]);
  const withZero = valueColours('dropout', ['0', '0.5', '1'], 'log', 'light');
  expect(withZero.ramp).toMatchObject({ log: false, canLog: false });
  expect(withZero.colourOf('0.5')).toBe(ramp[16]);
});

test('words, two numbers, and numbers among words have a colour each', () => {
  for (const values of [
    ['adam', 'sgd', 'lion'],
    ['1', '2', '2'],
    ['1', '2', '3', 'auto'],
  ]) {
    const colours = valueColours('optimizer', values, 'auto', 'dark');
    expect(colours.ramp).toBeNull();
    const used = colours.values.map(({ colour }) => colour);
    expect(new Set(used).size).toBe(new Set(values).size);
    expect(Array.from({ length: 10 }, (_, i) => runColour(i, 'dark'))).toEqual(expect.arrayContaining(used));
  }
});

test('not a number and infinity are words, as they have no place on a ramp', () => {
  expect(valueColours('clip', ['1', '2', '3', 'Infinity'], 'auto', 'light').ramp).toBeNull();
});
