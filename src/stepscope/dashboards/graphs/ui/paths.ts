// Paths of nodes and scopes: what they are inside of, and which row of a view contains them.

interface Seen {
  path: string;
  kind: string;
}

/** The scopes around a path, outermost first: `a/`, `a/b/` of `a/b/c`. */
export function scopesAround(path: string): string[] {
  const own = path.endsWith('/') ? path.slice(0, -1) : path;
  const found: string[] = [];
  for (let at = own.indexOf('/'); at >= 0; at = own.indexOf('/', at + 1)) found.push(own.slice(0, at + 1));
  return found;
}

/** What members of a series have in common: `dense` of `dense_12` and of `dense[12]`. */
export function stemOf(name: string): string {
  const bracket = name.endsWith(']');
  const text = bracket ? name.slice(0, -1) : name;
  const stem = text.replace(/\d+$/, '');
  if (bracket && !stem.endsWith('[')) return name;
  return stem.replace(/[_[]+$/, '') || name;
}

/** Paths of the series in whose place something may be: several series of one stem are told apart by a number. */
export function seriesAround(path: string, all: Iterable<string>): string[] {
  const own = path.endsWith('/') ? path.slice(0, -1) : path;
  const cut = own.lastIndexOf('/') + 1;
  const name = `${own.slice(0, cut)}[${stemOf(own.slice(cut))}`;
  return [...all].filter((one) => one === name || (one.startsWith(`${name} (`) && one.endsWith(')')));
}

/** Finds the row that is or contains a path; null when none does. */
export function finder<Row extends Seen>(rows: readonly Row[]): (path: string) => Row | null {
  const known = new Map(rows.map((row) => [row.path, row]));
  const series = rows.filter(({ kind }) => kind === 'series').map(({ path }) => path);
  return (path) => {
    const levels = [path, ...scopesAround(path).reverse()];
    for (const level of levels) {
      const exact = known.get(level);
      // An open scope contains it only by what else is seen of it.
      if (exact !== undefined) return exact;
      const [of] = series.length > 0 ? seriesAround(level, series) : [];
      if (of !== undefined) return known.get(of) ?? null;
      const own = level.endsWith('/') ? level.slice(0, -1) : level;
      const rest = known.get(`${own.slice(0, own.lastIndexOf('/') + 1)}[rest`);
      if (rest !== undefined) return rest;
    }
    return null;
  };
}
