// What is typed into the search field: text, or a pattern between slashes.

export function searchOf(typed: string): { text: string; regex: boolean } {
  const pattern = /^\/(.+)\/$/.exec(typed.trim());
  return pattern === null ? { text: typed.trim(), regex: false } : { text: pattern[1] ?? '', regex: true };
}
