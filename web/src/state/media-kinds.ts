// The parts of the tab Media in their order, and the kind of tags that each shows.

export const MEDIA: readonly { id: string; label: string; kind: string }[] = [
  { id: 'images', label: 'Images', kind: 'image' },
  { id: 'audio', label: 'Audio', kind: 'audio' },
  { id: 'text', label: 'Text', kind: 'text' },
  { id: 'histograms', label: 'Histograms', kind: 'histogram' },
  { id: 'pr_curves', label: 'PR curves', kind: 'pr_curve' },
  { id: 'mesh', label: 'Meshes', kind: 'mesh' },
];
export const MEDIA_KINDS: readonly string[] = MEDIA.map(({ kind }) => kind);

/** The kinds of tags that a tab draws; the part of Media that is open counts, and all of them before one was chosen. */
export function kindsOfTab(tab: string, part: string): readonly string[] {
  if (tab !== 'media') return ['scalar'];
  const open = MEDIA.find(({ id }) => id === part);
  return open === undefined ? MEDIA_KINDS : [open.kind];
}
