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
const WINDOW = 2048;
const FREQUENCIES = WINDOW / 2;
/** How far below the loudest a frequency may be and still be seen. */
export const DEPTH_DB = 80;
/** The lowest frequency that is drawn; below it one sees hum and the edge of the window. */
const LOWEST_HZ = 40;
/** Half of usual rates: a sound that was recorded at one of them has nothing above. */
const TOPS_HZ = [4000, 5512.5, 8000, 11025, 12000, 16000, 22050, 24000];

export interface Spectrogram {
  columns: number;
  rows: number;
  /** From the lowest to the highest frequency, as loud as DEPTH_DB below the loudest (0) to the loudest (1). */
  loud: Float32Array;
  lowHz: number;
  highHz: number;
}

/** How loud every frequency is at `columns` moments; frequencies in equal factors, as ears hear them. */
export function spectrogram(samples: Float32Array, rate: number, columns: number, rows: number): Spectrogram {
  const powers = powersOf(samples, columns);
  const loudest = powers.reduce((most, power) => (power > most ? power : most), 0);
  const floor = loudest * 10 ** (-DEPTH_DB / 10);
  const highHz = topOf(powers, columns, rate, floor);
  const loud = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    const [from, to] = [row, row + 1].map((at) => binOf(frequencyAt(at / rows, LOWEST_HZ, highHz), rate));
    for (let column = 0; column < columns; column++) {
      const power = loudestOf(powers, column, from ?? 0, to ?? 0);
      loud[row * columns + column] = power <= floor ? 0 : 1 + (10 * Math.log10(power / loudest)) / DEPTH_DB;
    }
  }
  return { columns, rows, loud, lowHz: LOWEST_HZ, highHz };
}

/** The frequency at a share of the height. */
export function frequencyAt(share: number, lowHz: number, highHz: number): number {
  return lowHz * (highHz / lowHz) ** share;
}

/** Where on the height a frequency stands, as a share. */
export function placeOf(hz: number, lowHz: number, highHz: number): number {
  return Math.log(hz / lowHz) / Math.log(highHz / lowHz);
}

/** Round frequencies between the ends: tens, and with room threes of them too. */
export function frequencyTicks(lowHz: number, highHz: number, roomy: boolean): number[] {
  return (roomy ? [100, 300, 1000, 3000, 10_000] : [100, 1000, 10_000]).filter(
    (hz) => hz > lowHz * 1.2 && hz < highHz / 1.2,
  );
}

const binOf = (hz: number, rate: number): number => (hz * WINDOW) / rate;

/** Power of every frequency, FREQUENCIES for each column. */
function powersOf(samples: Float32Array, columns: number): Float64Array {
  const powers = new Float64Array(FREQUENCIES * columns);
  const [real, imaginary] = [new Float64Array(WINDOW), new Float64Array(WINDOW)];
  for (let column = 0; column < columns; column++) {
    const middle = Math.round(((column + 0.5) * samples.length) / columns - WINDOW / 2);
    // A window over the sound's end would hear a click that is not there.
    const start = Math.max(0, Math.min(samples.length - WINDOW, middle));
    for (let i = 0; i < WINDOW; i++) {
      const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW);
      real[i] = (samples[start + i] ?? 0) * hann;
      imaginary[i] = 0;
    }
    transform(real, imaginary);
    for (let bin = 0; bin < FREQUENCIES; bin++)
      powers[column * FREQUENCIES + bin] = (real[bin] ?? 0) ** 2 + (imaginary[bin] ?? 0) ** 2;
  }
  return powers;
}

/** The lowest usual top above which nothing can be seen. */
function topOf(powers: Float64Array, columns: number, rate: number, floor: number): number {
  let highest = 0;
  for (let column = 0; column < columns; column++) {
    for (let bin = FREQUENCIES - 1; bin > highest; bin--) {
      if ((powers[column * FREQUENCIES + bin] ?? 0) > floor) highest = bin;
    }
  }
  const hz = (highest * rate) / WINDOW;
  return Math.min(rate / 2, TOPS_HZ.find((top) => top >= hz) ?? rate / 2);
}

/** Of the bins that a row stands for, or between the two beside it where it is finer than they are. */
function loudestOf(powers: Float64Array, column: number, from: number, to: number): number {
  const first = column * FREQUENCIES;
  const at = (bin: number): number => (bin < FREQUENCIES ? (powers[first + bin] ?? 0) : 0);
  if (Math.ceil(from) >= to) {
    const [low, share] = [Math.floor(from), from - Math.floor(from)];
    return at(low) * (1 - share) + at(low + 1) * share;
  }
  let most = 0;
  for (let bin = Math.ceil(from); bin < to; bin++) most = Math.max(most, at(bin));
  return most;
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
