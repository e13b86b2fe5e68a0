import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/**
 * The layers, innermost first: what each folder of src may import beside itself. Everything else is refused, so an
 * import always points inwards.
 */
const LAYERS = {
  endpoint: ['limits'],
  execution: ['endpoint', 'limits', 'errors.ts'],
  openapi: ['endpoint', 'errors.ts'],
  clickhouse: ['endpoint', 'execution', 'errors.ts'],
  cache: ['endpoint', 'execution', 'limits', 'warming', 'errors.ts'],
  warming: ['endpoint', 'execution', 'errors.ts'],
  keys: ['limits', 'errors.ts'],
  limits: ['errors.ts'],
  admission: ['endpoint', 'execution', 'errors.ts'],
  sandbox: ['endpoint', 'execution', 'errors.ts'],
  journal: [],
  log: [],
  http: [
    'admission',
    'endpoint',
    'execution',
    'journal',
    'keys',
    'limits',
    'log',
    'openapi',
    'tracing',
    'errors.ts',
    'project-files.ts',
  ],
  tracing: ['execution', 'project-files.ts'],
  loading: ['endpoint'],
  'demo-data': ['clickhouse', 'project-files.ts'],
  metrics: ['execution'],
  admin: ['endpoint', 'execution', 'http', 'keys', 'log', 'errors.ts', 'warming'],
  config: ['endpoint', 'keys', 'limits'],
};

const zones = Object.entries(LAYERS).flatMap(([layer, allowed]) => [
  {
    target: `./src/${layer}`,
    from: './src',
    except: [layer, ...allowed].map((place) => `./${place}`),
    message: `src/${layer} may import ${allowed.join(', ') || 'nothing of src'} only (see ARCHITECTURE.md).`,
  },
  { target: `./src/${layer}`, from: ['./endpoints', './test'] },
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
            {
              target: './endpoints',
              from: './src',
              except: ['./endpoint/index.ts'],
              message: 'An endpoint imports nothing of the machinery but src/endpoint/index.ts.',
            },
            // Benchmarks measure the product, which must not need them.
            { target: ['./src', './endpoints'], from: './bench' },
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
      'src/main.ts',
      'src/cli/**',
      '.ci/**',
      'src/clickhouse/embedded/engine-host.mjs',
      'bench/servers/bare-server.ts',
      'bench/servers/canned-clickhouse.ts',
      'test/**',
      '*.config.mjs',
    ],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['endpoints/**', '*.config.mjs', 'console/vite.config.ts', 'test/support/global-*.mjs'],
    rules: { 'import-x/no-default-export': 'off', 'max-lines-per-function': 'off' },
  },
  {
    // Plain JavaScript with types in its comments: the compiler checks it, names included.
    files: ['**/*.mjs'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: { 'no-undef': 'off', '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    // winston's own types do not say that its Console is a transport.
    files: ['src/log/logger.ts'],
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
