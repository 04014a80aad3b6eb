// Lint rules for the page and for the dashboards' own components.
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import svelte from 'eslint-plugin-svelte';
import globals from 'globals';
import ts from 'typescript-eslint';
import svelteConfig from './svelte.config.js';

const NO_HTML = ['innerHTML', 'outerHTML'].map((property) => ({
  property,
  message: 'Names in logs are hostile: use textContent.',
}));
const NO_OWN_DIGITS = ['toFixed', 'toPrecision', 'toExponential', 'toLocaleString'].map((property) => ({
  property,
  message: 'Numbers read alike everywhere: use web/src/draw/number.ts.',
}));
// Test files share their modules, so a replaced module is the real one or the replaced one by the order of files.
const NO_REPLACED_MODULES = {
  object: 'vi',
  property: 'mock',
  message: 'Hand what is replaced to the constructor or function instead.',
};

export default ts.config(
  {
    ignores: [
      '**/node_modules/',
      'src/stepscope/server/page/',
      'src/stepscope/dashboards/profile/report_file/',
      'src/stepscope/dashboards/scalars/curves_file/',
      'docs/',
      'site/',
      'tests/',
      'benchmarks/',
      'build/',
      'dist/',
      '**/.venv/',
    ],
  },
  js.configs.recommended,
  ts.configs.strict,
  svelte.configs.recommended,
  prettier,
  svelte.configs.prettier,
  {
    files: ['web/**', 'src/**'],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ['*.js', '*.ts'],
    languageOptions: { globals: globals.node },
  },
  {
    files: ['web/**/*.ts', 'src/**/*.ts'],
    ignores: ['**/*.svelte.ts'],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
    },
  },
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: ts.parser, extraFileExtensions: ['.svelte'], svelteConfig } },
    rules: {
      'svelte/no-at-html-tags': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'SvelteAttribute[key.name="style"]',
          message: 'The content security policy refuses style attributes: use a class or a style: directive.',
        },
      ],
    },
  },
  {
    files: ['web/**', 'src/**'],
    ignores: ['web/src/api/**'],
    rules: {
      // Requests go through web/src/api, whose types are made from the server's declarations.
      'no-restricted-globals': [
        'error',
        ...['fetch', 'EventSource', 'XMLHttpRequest', 'WebSocket'].map((name) => ({
          name,
          message: 'Ask through web/src/api/client.ts, which knows what each route answers.',
        })),
      ],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: 'api/frame$',
              importNames: ['decodeFrame'],
              message: 'Ask for a frame through web/src/api/client.ts, which knows its header.',
            },
          ],
        },
      ],
    },
  },
  {
    rules: {
      'no-undef': 'off',
      // Tables are replaced as a whole ($state.raw): a reactive Map per run would cost more than it tells.
      'svelte/prefer-svelte-reactivity': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-restricted-properties': ['error', NO_REPLACED_MODULES, ...NO_HTML],
    },
  },
  {
    files: ['web/**', 'src/**'],
    ignores: ['web/src/draw/**', '**/*.test.ts'],
    rules: { 'no-restricted-properties': ['error', ...NO_HTML, ...NO_OWN_DIGITS] },
  },
);
