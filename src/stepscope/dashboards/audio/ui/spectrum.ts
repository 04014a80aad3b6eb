// A sound as pictures: the lowest and highest value of every pixel column, and how loud each frequency is over time.

/** Lowest and highest value of each of `columns` stretches. */
export function waveform(samples: Float32Array, columns: number): { low: Float32Array; high: Float32Array } {
  const [low, high] = [new Float32Array(columns), new Float32Array(columns)];
  for (let column = 0; column < columns; column++) {
    const start = Math.floor((column * samples.length) / columns);
    const end = Math.max(start + 1, Math.floor(((column + 1) * samples.length) / columns));
    let [least, most] = [Infinity, -Infinity];
    for (let i = start; i < Math.min(end, samples.length); i++) {
      const value = samples[i] ?? 0;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    [low[column], high[column]] = least <= most ? [least, most] : [0, 0];
  }
  return { low, high };
}

/** Samples of one spectrum; half as many frequencies. */
export const WINDOW = 512;
const FREQUENCIES = WINDOW / 2;
/** How far below the loudest a frequency may be and still be seen. */
const DEPTH_DB = 80;

/** Loudness from 0 to 1 of every frequency (rows, from the lowest) at `columns` moments. */
export function spectrogram(samples: Float32Array, columns: number): { rows: number; loud: Float32Array } {
  const loud = new Float32Array(FREQUENCIES * columns);
  const [real, imaginary] = [new Float64Array(WINDOW), new Float64Array(WINDOW)];
  let loudest = -Infinity;
  for (let column = 0; column < columns; column++) {
    const middle = ((column + 0.5) * samples.length) / columns;
    const start = Math.round(middle - WINDOW / 2);
    for (let i = 0; i < WINDOW; i++) {
      const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW);
      real[i] = (samples[start + i] ?? 0) * hann;
      imaginary[i] = 0;
    }
    transform(real, imaginary);
    for (let row = 0; row < FREQUENCIES; row++) {
      const power = (real[row] ?? 0) ** 2 + (imaginary[row] ?? 0) ** 2;
      const decibel = 10 * Math.log10(power + 1e-20);
      loud[row * columns + column] = decibel;
      if (decibel > loudest) loudest = decibel;
    }
  }
  for (let i = 0; i < loud.length; i++) loud[i] = Math.max(0, 1 + ((loud[i] ?? 0) - loudest) / DEPTH_DB);
  return { rows: FREQUENCIES, loud };
}

/** The fast Fourier transform of a power of two, in place. */
export function transform(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length;
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      [real[i], real[j]] = [real[j] ?? 0, real[i] ?? 0];
      [imaginary[i], imaginary[j]] = [imaginary[j] ?? 0, imaginary[i] ?? 0];
    }
  }
  for (let half = 1; half < size; half <<= 1) {
    for (let k = 0; k < half; k++) {
      const [cosine, sine] = [Math.cos((-Math.PI * k) / half), Math.sin((-Math.PI * k) / half)];
      for (let i = k; i < size; i += 2 * half) {
        const j = i + half;
        const [r, s] = [real[j] ?? 0, imaginary[j] ?? 0];
        const [turnedReal, turnedImaginary] = [r * cosine - s * sine, r * sine + s * cosine];
        real[j] = (real[i] ?? 0) - turnedReal;
        imaginary[j] = (imaginary[i] ?? 0) - turnedImaginary;
        real[i] = (real[i] ?? 0) + turnedReal;
        imaginary[i] = (imaginary[i] ?? 0) + turnedImaginary;
      }
    }
  }
}
