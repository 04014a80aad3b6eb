// The time, once a second, for ages and countdowns.

class Clock {
  /** Milliseconds since 1970. */
  now = $state.raw(Date.now());

  start(): void {
    setInterval(() => (this.now = Date.now()), 1000);
  }
}

export const clock = new Clock();
