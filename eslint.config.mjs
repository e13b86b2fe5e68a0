import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/**
 * The layers of src/gateway, lowest first: what each folder imports beside itself, `endpoint` and `files`. A folder imports from
 * earlier entries of this list only, so that there is no cycle; `server` may import all.
 */
const LAYERS = {
  formats: ['errors.ts'],
  limits: ['errors.ts'],
  auth: [],
  config: ['auth'],
  query: ['formats', 'errors.ts'],
  scheduler: ['query', 'errors.ts'],
  sandbox: ['query', 'errors.ts'],
  clickhouse: ['formats', 'query', 'errors.ts'],
  schema: ['clickhouse', 'errors.ts'],
  analysis: ['query', 'clickhouse', 'errors.ts'],
  observability: ['query'],
  coordination: ['formats', 'limits', 'query', 'errors.ts'],
  warming: ['formats', 'query', 'coordination'],
  cache: ['query', 'coordination'],
  http: ['auth', 'formats', 'limits', 'observability', 'query', 'scheduler', 'errors.ts'],
};
/** Folders that read the files of this package. */
const READS_PACKAGE = ['observability', 'http'];

const order = Object.keys(LAYERS);
for (const [layer, places] of Object.entries(LAYERS)) {
  const notBelow = places.find((place) => order.indexOf(place) >= order.indexOf(layer));
  if (notBelow !== undefined)
    throw new Error(`src/gateway/${layer} must not import ${notBelow}, which is not an earlier entry`);
}

/**
 * @param {string} folder
 * @param {readonly string[]} allowed
 */
const zone = (folder, allowed) => ({
  target: `./src/${folder}`,
  from: './src',
  except: [folder, ...allowed].map((place) => `./${place}`),
  message: `src/${folder} may import only ${[folder, ...allowed].join(', ')} of src (see ARCHITECTURE.md).`,
});
const zones = [
  zone('files', []),
  zone('endpoint', ['files']),
  zone('gateway', ['endpoint', 'files', 'package-files.ts']),
  ...Object.entries(LAYERS).map(([layer, places]) =>
    zone(`gateway/${layer}`, [
      ...['endpoint', 'files', ...places.map((place) => `gateway/${place}`)],
      ...(READS_PACKAGE.includes(layer) ? ['package-files.ts'] : []),
    ]),
  ),
];

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
      'src/commands/cli/**',
      'src/commands/introspect/**',
      '.ci/**',
      'scripts/**',
      'src/commands/embedded/engine-host.mjs',
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
      'src/commands/cli/templates/**',
      '*.config.mjs',
      'console/vite.config.ts',
      'test/support/global-*.mjs',
    ],
    rules: { 'import-x/no-default-export': 'off', 'max-lines-per-function': 'off' },
  },
  {
    // An endpoint file must be what it would be in any other project.
    files: ['endpoints/**', 'src/commands/cli/templates/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(?!querygate$|\\./_)',
              message: 'An endpoint file imports querygate, and files like ./_shared.js.',
            },
          ],
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
    files: ['src/gateway/observability/logger.ts'],
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
