// A plugin of Vite that writes the notice of every package and font in the bundle, and fails the build when one has none.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

/** A package or font with its licence. */
export interface Notice {
  name: string;
  licence: string;
  text: string;
}

/** Where packages are, and where what the build tools add themselves comes from: `\0vite/preload-helper.js`. */
const PACKAGE = /^(.*\/node_modules\/)((?:@[^/]+\/)?[^/]+)\//;
const ADDED = /^\0(vite|rolldown)\//;
/** Vite's own licence is followed by those of what is in Vite, none of which is in a page. */
const NOT_IN_PAGES = /^# Licenses of bundled dependencies/m;

/** The folder of the package a module is from; undefined for the page's own modules. */
export function packageFolder(id: string, root: string): string | undefined {
  const added = ADDED.exec(id);
  if (added) return join(root, 'node_modules', added[1]);
  const found = PACKAGE.exec(id);
  return found ? found[1] + found[2] : undefined;
}

/** The notice of a package; throws when it has no licence file. */
export function noticeOf(folder: string): Notice {
  const { name, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf-8')) as Record<string, string>;
  const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
  const file = files.sort((one, other) => one.length - other.length)[0];
  if (file === undefined)
    throw new Error(`${name} is in the page, but has no licence file: add its notice or leave it out.`);
  const [text] = readFileSync(join(folder, file), 'utf-8').split(NOT_IN_PAGES);
  return { name, licence: license, text: text.trim() };
}

/** The fonts that are kept beside a style sheet of our own. */
function fontNotice(id: string): Notice | undefined {
  const file = join(dirname(id), 'fonts', 'OFL.txt');
  if (!id.endsWith('.css') || !existsSync(file)) return undefined;
  return { name: 'Inter, JetBrains Mono', licence: 'OFL-1.1', text: readFileSync(file, 'utf-8').trim() };
}

/** One notice for each package and font that these modules are from, by name. */
export function noticesOf(modules: Iterable<string>, root: string): Notice[] {
  const found = new Map<string, Notice>();
  for (const id of modules) {
    const plain = id.split('?')[0];
    const folder = packageFolder(plain, root);
    const notice = folder === undefined ? fontNotice(plain) : noticeOf(folder);
    if (notice) found.set(notice.name, notice);
  }
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** All notices as one text. */
export function asText(notices: Notice[]): string {
  const parts = notices.map(({ name, licence, text }) => `=== ${name} (${licence})\n\n${text}\n`);
  return ['This page contains the following software and fonts.\n', ...parts].join('\n');
}

/** The notices of all that is in a bundle. Style sheets are no longer in it by then, so they are taken from what was loaded. */
export function licenceText(loaded: Iterable<string>, bundle: Rolldown.OutputBundle, root: string): string {
  const scripts = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const styles = [...loaded].filter((id) => id.split('?')[0].endsWith('.css'));
  return asText(noticesOf([...scripts, ...styles], root));
}

/** Writes the notices beside the page. */
export function licences(root: string): Plugin {
  return {
    name: 'stepscope:licences',
    generateBundle(_, bundle) {
      this.emitFile({
        type: 'asset',
        fileName: 'licences.txt',
        source: licenceText(this.getModuleIds(), bundle, root),
      });
    },
  };
}
