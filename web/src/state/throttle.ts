// Runs a task now and then: at once when it rested, else after a pause that grows with how long the task takes.

export function throttled(task: () => Promise<void>, pauseMs: number): () => void {
  let busy = false;
  let again = false;
  const run = async (): Promise<void> => {
    busy = true;
    const started = performance.now();
    try {
      await task();
    } finally {
      const pause = Math.max(pauseMs, 4 * (performance.now() - started));
      setTimeout(() => {
        busy = false;
        if (again) {
          again = false;
          void run();
        }
      }, pause);
    }
  };
  return () => {
    if (busy) again = true;
    else void run();
  };
}
