// Builds the page from web/ into the Python package, and runs the page's unit tests.
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig(({ mode }) => ({
  // Tests also live beside the dashboards, outside web/.
  root: mode === 'test' ? here('.') : here('./web'),
  // Relative addresses, so that the page works behind any path prefix.
  base: './',
  plugins: [svelte({ configFile: here('./svelte.config.js') })],
  resolve: {
    alias: { $web: here('./web/src') },
    // Svelte's server build is the default outside a browser; tests mount real components.
    conditions: mode === 'test' ? ['browser'] : undefined,
  },
  build: {
    outDir: here('./src/stepscope/server/page'),
    emptyOutDir: true,
    // Nothing becomes a data: address, so that the content security policy can stay strict.
    assetsInlineLimit: 0,
    // The first browsers with light-dark() colours.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    rolldownOptions: {
      output: {
        // One file for what is there from the start and one for what several tabs take from web/src: a request costs more
        // than a few kilobytes. Nothing in web/src imports a dashboard, so these files never import each other in a circle.
        codeSplitting: {
          groups: [
            { name: 'index', tags: ['$initial'], priority: 2 },
            { name: 'shared', test: /\/web\/src\/(?!charts\/Histogram)/, minShareCount: 2 },
          ],
        },
      },
    },
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
    include: ['web/src/**/*.test.ts', 'src/stepscope/dashboards/*/ui/**/*.test.ts'],
  },
}));
