// Which part of the trace is saved, and how an installed Perfetto is told to show it.
import { lengthOf, type Window } from './window';

/** The selected time, or else the shown one; null when that is the whole profile. */
export function savedWindow(area: Window | null, shown: Window, end: number): Window | null {
  if (area !== null) return area;
  return lengthOf(shown) < 0.999 * end ? shown : null;
}

/** The viewer's address with the trace to load, and the window to show in nanoseconds of the trace's own clock. */
export function perfettoAddress(trace: string, window: Window | null, started: number | null): string {
  const question = new URLSearchParams({ url: new URL(trace, location.href).toString() });
  if (window !== null && started !== null) {
    const origin = BigInt(Math.round(started * 1e6)) * 1000n;
    const [from, to] = window.map((us) => (origin + BigInt(Math.round(us * 1000))).toString());
    question.set('visStart', from ?? '');
    question.set('visEnd', to ?? '');
  }
  return new URL(`perfetto/#!/?${question.toString()}`, new URL('.', location.href)).toString();
}
