// The tag list with, for each tag, the set of runs that have it.
import type { Tag, TagsAnswer } from './types';

export class TagIndex {
  readonly tags: readonly Tag[];
  private readonly byName = new Map<string, Tag>();
  private readonly place = new Map<string, number>();
  private readonly bitmaps = new Map<string, Uint8Array>();
  private readonly withKind = new Map<string, ReadonlySet<string>>();

  constructor(answer: Pick<TagsAnswer, 'runs' | 'tags'>) {
    answer.runs.forEach((run, i) => this.place.set(run, i));
    this.tags = answer.tags.map(({ runs, ...tag }) => {
      // One name may stand for several kinds; by name alone the scalars are meant.
      if (tag.kind === 'scalar' || !this.byName.has(tag.name)) this.byName.set(tag.name, tag);
      this.bitmaps.set(`${tag.kind} ${tag.name}`, bitmapOf(runs));
      return tag;
    });
  }

  static readonly EMPTY = new TagIndex({ runs: [], tags: [] });

  get(name: string): Tag | undefined {
    return this.byName.get(name);
  }

  has(run: string, tag: string, kind = 'scalar'): boolean {
    const place = this.place.get(run);
    const bitmap = this.bitmaps.get(`${kind} ${tag}`);
    if (place === undefined || bitmap === undefined) return false;
    return (((bitmap[place >> 3] ?? 0) >> (place & 7)) & 1) === 1;
  }

  /** Every run that has a tag of a kind. */
  runsWith(kind: string): ReadonlySet<string> {
    const known = this.withKind.get(kind);
    if (known !== undefined) return known;
    const tags = this.ofKind(kind);
    const found = new Set([...this.place.keys()].filter((run) => tags.some(({ name }) => this.has(run, name, kind))));
    this.withKind.set(kind, found);
    return found;
  }

  scalars(): Tag[] {
    return this.ofKind('scalar');
  }

  ofKind(kind: string): Tag[] {
    return this.tags.filter((tag) => tag.kind === kind);
  }
}

function bitmapOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
