// Pictures of sound have known answers: a tone is one frequency, silence is nothing, and no peak is lost.
import { expect, it } from 'vitest';
import { spectrogram, transform, waveform, WINDOW } from './spectrum';

it('keeps the lowest and highest value of every column', () => {
  const { low, high } = waveform(Float32Array.of(0, 1, -1, 0.5, 0.25, 0), 3);
  expect([...low]).toEqual([0, -1, 0]);
  expect([...high]).toEqual([1, 0.5, 0.25]);
  expect([...waveform(new Float32Array(), 2).high]).toEqual([0, 0]);
});

it('transforms as the definition says', () => {
  const values = Float64Array.from({ length: 16 }, (_, i) => Math.sin(i * i));
  const [real, imaginary] = [values.slice(), new Float64Array(16)];
  transform(real, imaginary);
  for (let k = 0; k < 16; k++) {
    const sum = values.reduce((all, value, i) => all + value * Math.cos((2 * Math.PI * k * i) / 16), 0);
    const part = values.reduce((all, value, i) => all - value * Math.sin((2 * Math.PI * k * i) / 16), 0);
    expect(real[k]).toBeCloseTo(sum, 9);
    expect(imaginary[k]).toBeCloseTo(part, 9);
  }
});

it('sees a tone at its frequency, loudest of all, and nothing far from it', () => {
  const tone = Float32Array.from({ length: 8192 }, (_, i) => Math.sin((2 * Math.PI * 40 * i) / WINDOW));
  const { rows, loud } = spectrogram(tone, 4);
  const middle = Array.from({ length: rows }, (_, row) => loud[row * 4 + 2] ?? 0);
  expect(middle.indexOf(Math.max(...middle))).toBe(40);
  expect(Math.max(...middle)).toBeCloseTo(1, 2);
  expect(middle[200]).toBe(0);
});
