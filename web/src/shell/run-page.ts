// What a run's own page lists: its texts that say what ran and how it was set, and all its tags by kind.
import type { Tag } from '../api/types';

/** Tags of texts that writers log once, about the run as a whole. */
const ABOUT = ['run', 'config', 'args', 'model_config', 'hparams', 'hyperparameters', 'summary', 'notes'];
const SUFFIX = '/text_summary';
const MOST_TEXTS = 8;

export const plainTag = (tag: string): string => (tag.endsWith(SUFFIX) ? tag.slice(0, -SUFFIX.length) : tag);

/** Texts about the run: those with a known name first, then others that were logged once; `points` tells how often. */
export function textsAbout(tags: readonly { name: string; points: number }[]): string[] {
  const known = (name: string): number => {
    const place = ABOUT.indexOf(plainTag(name).toLowerCase());
    return place < 0 ? ABOUT.length : place;
  };
  return tags
    .filter(({ name, points }) => known(name) < ABOUT.length || points === 1)
    .sort((a, b) => known(a.name) - known(b.name) || a.name.localeCompare(b.name))
    .slice(0, MOST_TEXTS)
    .map(({ name }) => name);
}

const LABELS: Readonly<Record<string, string>> = {
  scalar: 'Numbers',
  image: 'Images',
  audio: 'Sounds',
  text: 'Texts',
  histogram: 'Histograms',
  pr_curve: 'PR curves',
  mesh: 'Meshes',
  tensor: 'Tensors',
  graph: 'Graphs',
  hparams: 'Hyperparameters',
  layout: 'Layouts',
  run_metadata: 'Run metadata',
};

/** Parts of one mesh are logged as tags of their own, which end so. */
const MESH_PART = /_(?:VERTEX|FACE|COLOR)$/;

/** What a user logged: a mesh for its parts; the records behind hyperparameters and layouts are told elsewhere. */
function asLogged(kind: string, tags: readonly Tag[]): Tag[] {
  if (kind !== 'mesh') return [...tags];
  const names = new Map(tags.map((tag) => [tag.name.replace(MESH_PART, ''), tag]));
  return [...names].map(([name, tag]) => ({ ...tag, name }));
}

/** Tags by kind in the order above, and what else there is at the end. */
export function tagsByKind(tags: readonly Tag[]): { kind: string; label: string; tags: Tag[] }[] {
  const kinds = [...new Set(tags.map(({ kind }) => kind))];
  const order = Object.keys(LABELS);
  const place = (kind: string): number => (order.includes(kind) ? order.indexOf(kind) : order.length);
  return kinds
    .filter((kind) => kind !== 'hparams')
    .sort((a, b) => place(a) - place(b) || a.localeCompare(b))
    .map((kind) => ({
      kind,
      label: LABELS[kind] ?? kind.replaceAll('_', ' '),
      tags: asLogged(
        kind,
        tags.filter((tag) => tag.kind === kind),
      ),
    }));
}
