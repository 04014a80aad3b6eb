// Builds the page from web/ into the Python package, with a mode of FILES a page that is saved as one file, and runs the unit tests.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { BuildOptions, Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { licenceText, licences } from './tools/licences.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Pages that are saved as one file, by Vite's mode: the dashboard whose ui/html-file they are built from, and the folder they go into. */
const FILES: Readonly<Record<string, { dashboard: string; built: string } | undefined>> = {
  report: { dashboard: 'profile', built: 'report_file' },
  curves: { dashboard: 'scalars', built: 'curves_file' },
};
/** What Python fills in, dashboards/one_file.py. */
const PLACES = ['{{title}}', '{{answers}}'];

const digest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Puts script, style and licences into the HTML file, and forbids by a policy all that is not these two and the fonts inside the style. */
function oneFile(): Plugin {
  return {
    name: 'stepscope:one-file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      const texts = (ending: string): string[] =>
        files
          .filter(({ fileName }) => fileName.endsWith(ending))
          .map((file) => (file.type === 'chunk' ? file.code : String(file.source)));
      const [html, code, style] = ['.html', '.js', '.css'].map((ending) => texts(ending)[0] ?? '');
      if (files.length !== 3 || html === '' || code === '' || style === '')
        this.error(
          `A page that is saved is one HTML file, one script and one style: ${Object.keys(bundle).join(', ')}.`,
        );
      // Inside of a script only these begin markup, and in JavaScript they stand only in strings.
      const script = code.trim().replace(/<(?=\/?script|!--)/gi, '\\x3c');
      const sheet = style.trim();
      const notices = licenceText(this.getModuleIds(), bundle, here('.'));
      if (/<\/style/i.test(sheet)) this.error('The style would end its own element.');
      const policy = [
        "default-src 'none'",
        `script-src ${digest(script)}`,
        `style-src ${digest(sheet)}`,
        'font-src data:',
        "connect-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ].join('; ');
      const whole = html
        .replace(/\s*<script type="module"[^>]*><\/script>/, '')
        .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
        .replace(
          '<meta charset="utf-8" />',
          (meta) => `${meta}\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
        )
        .replace('<!doctype html>', (first) => `${first}\n<!--\n${notices.replaceAll('-->', '-- >')}-->`)
        .replace('</head>', () => `  <style>${sheet}</style>\n    <script type="module">${script}</script>\n  </head>`);
      for (const place of PLACES) if (whole.split(place).length !== 2) this.error(`The page must have ${place} once.`);
      for (const name of Object.keys(bundle)) if (!name.endsWith('.html')) Reflect.deleteProperty(bundle, name);
      for (const file of files) if (file.type === 'asset' && file.fileName.endsWith('.html')) file.source = whole;
    },
  };
}

const PAGE_BUILD: BuildOptions = {
  outDir: here('./src/stepscope/server/page'),
  // Nothing becomes a data: address, so that the content security policy can stay strict.
  assetsInlineLimit: 0,
  rolldownOptions: {
    output: {
      // One file for what is there from the start and one for what several tabs take from web/src: a request costs more
      // than a few kilobytes. Nothing in web/src imports a dashboard, so these files never import each other in a circle.
      codeSplitting: {
        groups: [
          { name: 'index', tags: ['$initial'], priority: 2 },
          { name: 'shared', test: /\/web\/src\/(?!charts\/Histogram)/, minShareCount: 2 },
          { name: 'profile', test: /\/dashboards\/profile\/ui\//, minShareCount: 3 },
        ],
      },
    },
  },
};

const folderOf = (dashboard: string): string => here(`./src/stepscope/dashboards/${dashboard}`);

function fileBuild(mode: string, dashboard: string, built: string): BuildOptions {
  return {
    outDir: `${folderOf(dashboard)}/${built}`,
    // Fonts go into the style: a saved page fetches nothing.
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    modulePreload: false,
    rolldownOptions: {
      input: `${folderOf(dashboard)}/ui/html-file/${mode}.html`,
      output: { codeSplitting: false },
    },
  };
}

function rootOf(mode: string): string {
  // Tests also live beside the dashboards, outside web/.
  if (mode === 'test') return here('.');
  const file = FILES[mode];
  return file === undefined ? here('./web') : `${folderOf(file.dashboard)}/ui/html-file`;
}

export default defineConfig(({ mode }) => ({
  root: rootOf(mode),
  // Relative addresses, so that the page works behind any path prefix.
  base: './',
  plugins: [
    svelte({ configFile: here('./svelte.config.js') }),
    FILES[mode] === undefined ? licences(here('.')) : oneFile(),
  ],
  resolve: {
    alias: { $web: here('./web/src') },
    // Svelte's server build is the default outside a browser; tests mount real components.
    conditions: mode === 'test' ? ['browser'] : undefined,
  },
  build: {
    emptyOutDir: true,
    // The first browsers with light-dark() colours.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    ...(FILES[mode] === undefined ? PAGE_BUILD : fileBuild(mode, FILES[mode].dashboard, FILES[mode].built)),
  },
  server: {
    // Dashboards' own components are outside web/.
    fs: { allow: [here('.')] },
    proxy: { '/api': process.env.STEPSCOPE_SERVER ?? 'http://127.0.0.1:6006' },
  },
  test: {
    // Files share a process: a process each costs three times the tests themselves.
    isolate: false,
    // A file that needs a document says so in its first lines; making one costs most of a small file's time.
    // A test reads the style sheet.
    css: true,
    include: ['tools/*.test.ts', 'web/src/**/*.test.ts', 'src/stepscope/dashboards/*/ui/**/*.test.ts'],
  },
}));
