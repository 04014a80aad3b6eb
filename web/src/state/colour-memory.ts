// Remembers, per browser, the colour that each run was given, so that it keeps it when other runs are added or deleted.

const PLACE = 'stepscope.colours';
/** The oldest are forgotten: they get the colour that is free when they are seen again. */
const MOST = 5_000;

/** Storage may hold anything, or be refused. */
export function loadColours(storage: Pick<Storage, 'getItem'>): Map<string, number> {
  try {
    const stored: unknown = JSON.parse(storage.getItem(PLACE) ?? '[]');
    if (!Array.isArray(stored)) return new Map();
    return new Map(
      stored.filter(
        (pair): pair is [string, number] =>
          Array.isArray(pair) &&
          typeof pair[0] === 'string' &&
          Number.isInteger(pair[1]) &&
          pair[1] >= 0 &&
          pair[1] < 40,
      ),
    );
  } catch {
    return new Map();
  }
}

export function saveColours(storage: Pick<Storage, 'setItem'>, colours: ReadonlyMap<string, number>): void {
  try {
    storage.setItem(PLACE, JSON.stringify([...colours].slice(-MOST)));
  } catch {
    // A full or forbidden storage costs only that colours may change when runs are deleted.
  }
}
