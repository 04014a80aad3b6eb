// Whether the page's own fonts are there: charts draw their labels with them, and rows measure what fits.

const NEEDED = ['400 13px Inter', "400 12px 'JetBrains Mono'"];

/** `inTime` says within the time whether the fonts came; `loaded` says it when that is known, however late. */
export function comesWithin(
  ms: number,
  fonts = document.fonts,
): { inTime: Promise<boolean>; loaded: Promise<boolean> } {
  const loaded = Promise.all(NEEDED.map((font) => fonts.load(font))).then(
    (faces) => faces.every((found) => found.length > 0),
    // Fonts that a browser refuses are done without.
    () => false,
  );
  const tooLate = new Promise<boolean>((done) => setTimeout(() => done(false), ms));
  return { inTime: Promise.race([loaded, tooLate]), loaded };
}
