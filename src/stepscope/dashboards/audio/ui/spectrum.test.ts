// Pictures of sound have known answers: a tone is one frequency, silence is nothing, and no peak is lost.
import { expect, it } from 'vitest';
import { frequencyAt, frequencyTicks, placeOf, spectrogram, transform, waveform } from './spectrum';

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
  const [rate, hz] = [44_100, 1000];
  const tone = Float32Array.from({ length: rate }, (_, i) => Math.sin((2 * Math.PI * hz * i) / rate));
  const { columns, rows, loud, lowHz, highHz } = spectrogram(tone, rate, 4, 160);
  const middle = Array.from({ length: rows }, (_, row) => loud[row * columns + 2] ?? 0);
  const loudest = middle.indexOf(Math.max(...middle));
  expect(frequencyAt((loudest + 0.5) / rows, lowHz, highHz) / hz).toBeCloseTo(1, 1);
  expect(Math.max(...middle)).toBeCloseTo(1, 2);
  expect(middle[20]).toBe(0);
  expect(placeOf(frequencyAt(0.3, lowHz, highHz), lowHz, highHz)).toBeCloseTo(0.3);
});

it('ends where the sound does, and is empty for silence', () => {
  const rate = 44_100;
  const tone = Float32Array.from({ length: rate }, (_, i) => Math.sin((2 * Math.PI * 3000 * i) / rate));
  expect(spectrogram(tone, rate, 40, 10).highHz).toBe(4000);
  expect(new Set(spectrogram(new Float32Array(1000), rate, 4, 10).loud)).toEqual(new Set([0]));
  expect(frequencyTicks(40, 8000, true)).toEqual([100, 300, 1000, 3000]);
  expect(frequencyTicks(40, 8000, false)).toEqual([100, 1000]);
});
