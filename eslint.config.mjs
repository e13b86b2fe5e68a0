import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/**
 * The layers, lowest first: what each folder of src may import beside itself. A folder imports from earlier entries of
 * this list only, so that there is no cycle; lint rejects everything else.
 */
const LAYERS = {
  files: [],
  endpoint: ['files'],
  formats: ['endpoint', 'errors.ts'],
  limits: ['endpoint', 'errors.ts'],
  auth: ['endpoint', 'files'],
  config: ['auth', 'endpoint'],
  query: ['endpoint', 'formats', 'errors.ts'],
  scheduler: ['endpoint', 'query', 'errors.ts'],
  sandbox: ['endpoint', 'query', 'errors.ts'],
  clickhouse: ['endpoint', 'files', 'formats', 'query', 'errors.ts'],
  check: ['endpoint', 'files', 'formats', 'config', 'query', 'clickhouse', 'errors.ts'],
  observability: ['endpoint', 'query', 'package-files.ts'],
  coordination: ['endpoint', 'formats', 'limits', 'query', 'errors.ts'],
  warming: ['endpoint', 'formats', 'query', 'coordination'],
  cache: ['endpoint', 'query', 'coordination'],
  http: [
    'auth',
    'endpoint',
    'formats',
    'limits',
    'observability',
    'query',
    'scheduler',
    'errors.ts',
    'package-files.ts',
  ],
};

const order = Object.keys(LAYERS);
for (const [layer, places] of Object.entries(LAYERS)) {
  const notBelow = places.find((place) => order.indexOf(place) >= order.indexOf(layer));
  if (notBelow !== undefined)
    throw new Error(`src/${layer} must not import src/${notBelow}, which is not an earlier entry`);
}

const zones = Object.entries(LAYERS).flatMap(([layer, allowed]) => [
  {
    target: `./src/${layer}`,
    from: './src',
    except: [layer, ...allowed].map((place) => `./${place}`),
    message: `src/${layer} may import ${allowed.join(', ') || 'nothing of src'} only (see ARCHITECTURE.md).`,
  },
]);

export default defineConfig(
  { ignores: ['**/dist/', '**/*-dist/', 'node_modules/', '.data/', 'coverage/'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    settings: {
      'import-x/resolver-next': [
        createNodeResolver({
          extensions: ['.ts', '.tsx', '.mjs', '.js'],
          extensionAlias: { '.js': ['.ts', '.tsx', '.js'] },
        }),
      ],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
      // What endpoint files import: src/index.ts once it is built.
      'import-x/core-modules': ['querygate'],
      'import-x/extensions': ['.ts', '.tsx', '.mjs', '.js'],
    },
    rules: {
      'import-x/no-cycle': 'error',
      'import-x/no-unresolved': 'error',
      'import-x/no-duplicates': 'error',
      'import-x/no-default-export': 'error',
      'import-x/no-restricted-paths': [
        'error',
        {
          zones: [
            ...zones,
            // The gateway knows no project, and needs neither benchmarks nor tests.
            { target: './src', from: ['./endpoints', './bench', './test', './scripts'] },
            // The console runs in browsers, and knows the gateway by its HTTP interface alone.
            { target: './console', from: ['./src', './endpoints', './bench', './test'] },
            { target: './console/src/model', from: './console/src', except: ['./model'] },
          ],
        },
      ],
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only the entry points read the environment.' },
      ],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      eqeqeq: 'error',
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 12],
    },
  },
  {
    files: [
      'src/cli/**',
      '.ci/**',
      'scripts/**',
      'src/clickhouse/embedded/engine-host.mjs',
      'bench/bench-gateway.ts',
      'bench/servers/bare-server.ts',
      'bench/servers/canned-clickhouse.ts',
      'test/**',
      '*.config.mjs',
    ],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: [
      'endpoints/**',
      'src/cli/templates/**',
      '*.config.mjs',
      'console/vite.config.ts',
      'test/support/global-*.mjs',
    ],
    rules: { 'import-x/no-default-export': 'off', 'max-lines-per-function': 'off' },
  },
  {
    // An endpoint file must be what it would be in any other project.
    files: ['endpoints/**', 'src/cli/templates/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [{ regex: '^(?!querygate$)', message: 'An endpoint file imports only querygate.' }],
        },
      ],
    },
  },
  {
    // Plain JavaScript with types in its comments: the compiler checks it, names included.
    files: ['**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { 'no-undef': 'off', '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    // winston's own types do not say that its Console is a transport.
    files: ['src/observability/logger.ts'],
    rules: { '@typescript-eslint/no-unsafe-class-instance-assignment': 'off' },
  },
  {
    files: ['test/**'],
    rules: {
      'max-lines-per-function': 'off',
      'no-restricted-syntax': [
        'error',
        {
          selector: "Property[key.name='interruptAfterTimeLimit']",
          message:
            'The interrupted run goes on, and writes into the next test’s table: bound a property by numRuns.',
        },
      ],
    },
  },
  prettier,
);
