// The mean of a few values and how sure it is: a 95% confidence interval by Student's t.

export interface MeanOfRuns {
  mean: number;
  /** Half the width of the 95% confidence interval of the mean; null for a single value, which says nothing about others. */
  interval: number | null;
  /** How many values the mean is of. */
  n: number;
}

/** Values that are not finite are left out; null when none is left. */
export function meanOfRuns(values: readonly number[]): MeanOfRuns | null {
  const finite = values.filter(Number.isFinite);
  const n = finite.length;
  if (n === 0) return null;
  const mean = finite.reduce((sum, value) => sum + value, 0) / n;
  if (n === 1) return { mean, interval: null, n };
  const squares = finite.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, interval: t975(n - 1) * Math.sqrt(squares / (n - 1) / n), n };
}

/** The chance of a value between -t and t with whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4). */
function within(t: number, freedom: number): number {
  const angle = Math.atan(t / Math.sqrt(freedom));
  const cosine = Math.cos(angle);
  const odd = freedom % 2;
  let term = Math.sin(angle) * (odd === 1 ? cosine : 1);
  let total = freedom > 1 ? term : 0;
  for (let k = 2 + odd; k < freedom - 1; k += 2) {
    term *= (cosine * cosine * (k - 1)) / k;
    total += term;
  }
  return odd === 1 ? (2 / Math.PI) * (angle + total) : total;
}

/** The 97.5% quantile of Student's t with 1 or more degrees of freedom. */
export function t975(freedom: number): number {
  let [low, high] = [1.9, 13];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (within(middle, freedom) < 0.95) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
