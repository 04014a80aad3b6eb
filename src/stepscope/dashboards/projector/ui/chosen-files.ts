// Which of the files that were chosen for an upload has the vectors, and which the metadata.

interface Sized {
  name: string;
  size: number;
}

/** The vectors, and the metadata if two files were chosen: the one that is called so, else the smaller one. */
export function sorted<F extends Sized>(files: readonly F[]): { vectors: F; metadata: F | null } | null {
  const [first, second] = files;
  if (first === undefined) return null;
  if (second === undefined) return { vectors: first, metadata: null };
  const named = [first, second].find(({ name }) => /meta|label/i.test(name));
  const binary = [first, second].find(({ name }) => /\.npy$/i.test(name));
  const metadata =
    named ??
    [first, second].find((file) => binary !== undefined && file !== binary) ??
    (first.size < second.size ? first : second);
  return { vectors: metadata === first ? second : first, metadata };
}
