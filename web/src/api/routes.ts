// The routes as the server declares them: which there are, what each takes, and what it answers.
import type { Routes } from '$api';

export type Method = keyof Routes;
type Kind = 'json' | 'frame' | 'file';
type Names = Record<'file', string> & Record<'json' | 'frame', unknown>;

/** Paths of the routes that answer so. */
export type PathOf<M extends Method, K extends Kind> = {
  [P in keyof Routes[M]]: Routes[M][P] extends Record<K, unknown> ? P : never;
}[keyof Routes[M]] &
  string;

/** What a route answers: JSON, the header of a frame, or the names of the HTTP headers that say something about a file. */
export type Answer<M extends Method, P extends keyof Routes[M], K extends Kind> =
  Routes[M][P] extends Record<K, infer Found extends Names[K]> ? Found : never;

type PlacesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PlacesIn<Rest> : never;

/** What a route takes, and the names in its path. */
export type Asked<M extends Method, P extends keyof Routes[M]> = (Routes[M][P] extends { asks: infer Fields }
  ? Fields
  : never) &
  Record<PlacesIn<P>, string>;

declare const route: unique symbol;

/** The address of a GET route below the API with its question; its type remembers which route it is of. */
export type Address<P extends keyof Routes['GET']> = string & { readonly [route]: P };

/** The path with its places filled, and the fields that are left for query or body. */
export function filledPath(path: string, asked: object): { path: string; rest: Record<string, unknown> } {
  const rest = new Map<string, unknown>(Object.entries(asked));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  return { path: filled, rest: Object.fromEntries(rest) };
}

/** What is null, absent or empty is left to the server; the values of a list follow each other under one name. */
export function addressOf<P extends keyof Routes['GET'] & string>(path: P, asked: Asked<'GET', P>): Address<P> {
  const { path: filled, rest } = filledPath(path, asked);
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (one !== null && one !== undefined && one !== '') query.append(name, String(one));
    }
  }
  const words = query.toString();
  return (words === '' ? filled : `${filled}?${words}`) as Address<P>;
}
