// Whether values of a setting are read on a logarithmic scale unless the user chooses otherwise.

/** Settings over two decades are tried by factors. */
const DECADES = 100;
/** Learning rates and decays are tried by factors even over a short range. */
const BY_FACTORS = /(^|[._/ -])(lr|learning_?rate|wd|weight_?decay|eps|epsilon)$/i;
const FACTOR = 3;

export function triedByFactors(name: string, low: number, high: number): boolean {
  return low > 0 && high >= (BY_FACTORS.test(name) ? FACTOR : DECADES) * low;
}
