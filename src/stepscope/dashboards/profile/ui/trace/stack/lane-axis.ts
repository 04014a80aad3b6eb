// Traces on one axis: each has its own time, which begins somewhere on the axis that all share, and moves and zooms with the others.
import type { TimeAxis, Window } from '../window';

/** A window moved by some microseconds. */
export const shifted = ([from, to]: Window, by: number): Window => [from + by, to + by];

/**
 * The axis as one trace of several has it: its own time 0 is at `start()` of the shared axis. `first()` is where the trace
 * begins in whose time selections and bookmarks are kept.
 */
export function laneAxis(shared: TimeAxis, start: () => number, first: () => number = () => 0): TimeAxis {
  return {
    get current() {
      return shifted(shared.current, -start());
    },
    get limits() {
      return shifted(shared.limits, -start());
    },
    show: (window) => shared.show(shifted(window, start())),
    own: (marked) => shifted(marked, first() - start()),
    marked: (own) => shifted(own, start() - first()),
  };
}
