// Which labels are written beside their points: those that matter most, none over another.

export interface Written {
  point: number;
  x: number;
  y: number;
  text: string;
}

const HIGH = 14;
const ASIDE = 6;
const LONGEST = 40;

/** Labels of points in the order of their importance, each only where there is room left. */
export function placeLabels(
  order: Iterable<number>,
  places: Float32Array,
  placeOf: (point: number) => number,
  textOf: (point: number) => string,
  widthOf: (text: string) => number,
  width: number,
  height: number,
  most: number,
): Written[] {
  const taken: [number, number, number, number][] = [];
  const found: Written[] = [];
  for (const point of order) {
    if (found.length >= most) break;
    const at = placeOf(point);
    if (at < 0) continue;
    const [x, y] = [(places[3 * at] as number) + ASIDE, places[3 * at + 1] as number];
    if (!(x >= 0 && y >= 0 && x < width && y < height)) continue;
    const whole = textOf(point);
    const text = whole.length > LONGEST ? `${whole.slice(0, LONGEST - 1)}…` : whole;
    if (text === '') continue;
    const box: [number, number, number, number] = [x, y - HIGH / 2, x + widthOf(text), y + HIGH / 2];
    if (taken.some(([l, t, r, b]) => box[0] < r && box[2] > l && box[1] < b && box[3] > t)) continue;
    taken.push(box);
    found.push({ point, x, y, text });
  }
  return found;
}
