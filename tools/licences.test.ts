// Every package that is in a bundle has its notice, and one without a licence stops the build.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { asText, noticesOf, packageFolder } from './licences';

let root = '';

function add(path: string, content: string): string {
  const file = join(root, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function addPackage(name: string, licence: string | undefined): string {
  add(`node_modules/${name}/package.json`, JSON.stringify({ name, license: 'MIT' }));
  if (licence !== undefined) add(`node_modules/${name}/LICENSE.md`, licence);
  return add(`node_modules/${name}/dist/index.js`, '');
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'licences-'));
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

it('finds the package of a module', () => {
  expect(packageFolder('/a/node_modules/d3-array/src/bin.js', '/a')).toBe('/a/node_modules/d3-array');
  expect(packageFolder('/a/node_modules/@some/one/index.js', '/a')).toBe('/a/node_modules/@some/one');
  expect(packageFolder('/a/node_modules/one/node_modules/two/index.js', '/a')).toBe(
    '/a/node_modules/one/node_modules/two',
  );
  expect(packageFolder('\0vite/preload-helper.js', '/a')).toBe('/a/node_modules/vite');
  expect(packageFolder('/a/web/src/main.ts', '/a')).toBeUndefined();
});

it('has one notice for each package and for our fonts, by name', () => {
  const modules = [
    addPackage('two', 'Copyright two'),
    addPackage('@a/one', 'Copyright one'),
    `${addPackage('two', 'Copyright two')}?inline`,
    add('web/src/style/fonts.css', ''),
    add('web/src/main.ts', ''),
  ];
  add('web/src/style/fonts/OFL.txt', 'Copyright fonts');
  const found = noticesOf(modules, root);
  expect(found.map(({ name }) => name)).toEqual(['@a/one', 'Inter, JetBrains Mono', 'two']);
  expect(found.map(({ text }) => text)).toEqual(['Copyright one', 'Copyright fonts', 'Copyright two']);
  expect(asText(found)).toContain('=== two (MIT)\n\nCopyright two\n');
});

it('leaves out what only the build tool contains', () => {
  addPackage('vite', 'Copyright Vite\n\n# Licenses of bundled dependencies\nOthers');
  expect(noticesOf(['\0vite/preload-helper.js'], root).map(({ text }) => text)).toEqual(['Copyright Vite']);
});

it('refuses a package without a licence', () => {
  expect(() => noticesOf([addPackage('bare', undefined)], root)).toThrow('bare');
});
