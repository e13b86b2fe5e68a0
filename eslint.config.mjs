import path from 'node:path';

import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

import { growingCopies } from './scripts/lint-growing-copies.mjs';

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
  facts: [],
  sandbox: ['query', 'facts', 'errors.ts'],
  clickhouse: ['formats', 'query', 'facts', 'sandbox', 'errors.ts'],
  schema: ['clickhouse', 'errors.ts'],
  analysis: ['query', 'facts', 'clickhouse', 'errors.ts'],
  versions: ['query', 'clickhouse', 'facts', 'errors.ts'],
  observability: ['query'],
  coordination: ['formats', 'limits', 'query', 'errors.ts'],
  warming: ['formats', 'query', 'coordination'],
  cache: ['query', 'coordination'],
  tables: ['auth', 'facts', 'query', 'sandbox', 'clickhouse', 'errors.ts'],
  http: [
    ...['auth', 'facts', 'formats', 'limits', 'observability', 'query', 'scheduler', 'warming', 'tables'],
    'errors.ts',
  ],
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
 * @typedef {{ target: string, from: readonly string[], except: readonly string[], message: string }} Zone files of `target`
 * import nothing of `from`, `except` aside
 */

/**
 * @param {string} folder
 * @param {readonly string[]} allowed
 * @returns {Zone}
 */
const zone = (folder, allowed) => ({
  target: `src/${folder}`,
  from: ['src'],
  except: [folder, ...allowed].map((place) => `src/${place}`),
  message: `src/${folder} may import only ${[folder, ...allowed].join(', ')} of src (see ARCHITECTURE.md).`,
});
/** @type {readonly Zone[]} */
const ZONES = [
  zone('files', []),
  zone('endpoint', ['files']),
  zone('gateway', ['endpoint', 'files', 'package-files.ts']),
  ...Object.entries(LAYERS).map(([layer, places]) =>
    zone(`gateway/${layer}`, [
      ...['endpoint', 'files', ...places.map((place) => `gateway/${place}`)],
      ...(READS_PACKAGE.includes(layer) ? ['package-files.ts'] : []),
    ]),
  ),
  {
    target: 'src',
    from: ['endpoints', 'bench', 'test', 'scripts'],
    except: [],
    message: 'The gateway knows no project, and needs neither benchmarks nor tests.',
  },
  { target: 'bench', from: ['console'], except: [], message: 'The benchmarks and the console are apart.' },
  {
    target: 'console',
    from: ['src', 'endpoints', 'bench', 'test'],
    except: [],
    message: 'The console runs in browsers, and knows the gateway by its HTTP interface alone.',
  },
  {
    target: 'console/src/model',
    from: ['console/src'],
    except: ['console/src/model'],
    message: 'console/src/model may import only itself of console/src.',
  },
];

/**
 * @param {string} file
 * @param {readonly string[]} places files and folders
 */
const isIn = (file, places) => places.some((place) => file === place || file.startsWith(`${place}/`));

/** Holds the zones. A relative import names its file in full, so that nothing needs to be resolved. */
const zonesRule = {
  /** @param {import('eslint').Rule.RuleContext} context */
  create(context) {
    const file = path.relative(import.meta.dirname, context.filename);
    const zones = ZONES.filter(({ target }) => isIn(file, [target]));
    /** @param {import('estree').Node & { source?: { value?: unknown } | null }} node */
    const check = (node) => {
      const source = node.source?.value;
      if (typeof source !== 'string' || !source.startsWith('.')) return;
      const imported = path.join(path.dirname(file), source).replace(/\.js$/, '.ts');
      for (const { from, except, message } of zones) {
        if (isIn(imported, from) && !isIn(imported, except)) context.report({ node, message });
      }
    };
    return {
      ImportDeclaration: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
      ImportExpression: check,
    };
  },
};

const NO_DEFAULT_EXPORT = ['ExportDefaultDeclaration', 'ExportSpecifier[exported.name="default"]'].map(
  (selector) => ({ selector, message: 'Export by name.' }),
);

export default defineConfig(
  { ignores: ['**/dist/', '**/*-dist/', 'node_modules/', '.data/', 'coverage/'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    plugins: { querygate: { rules: { zones: zonesRule, 'growing-copies': growingCopies } } },
    languageOptions: {
      parserOptions: {
        // The project service would look at the whole program again for each file.
        project: ['tsconfig.json', 'console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      'querygate/zones': 'error',
      'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
      'no-restricted-syntax': ['error', ...NO_DEFAULT_EXPORT],
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
      'bench/bench.ts',
      'bench/servers/bare-server.ts',
      'bench/servers/loop-delay.ts',
      'bench/servers/profile-on-signal.ts',
      'bench/servers/bare-pipe.ts',
      'bench/servers/bare-proxy.ts',
      'bench/servers/canned-clickhouse.ts',
      'test/**',
      '*.config.mjs',
    ],
    rules: { 'no-restricted-properties': 'off' },
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
    // What runs for each request.
    files: [
      'src/gateway/{auth,cache,limits,scheduler}/*.ts',
      'src/gateway/clickhouse/{fetch-rows,query-connections,query-runner,query-settings,ready-query,within-time}.ts',
      'src/gateway/coordination/{guarded-redis,redis-lease,redis-limits,redis-single-flight,usage-ledger}.ts',
      'src/gateway/http/{call,result,transport}/*.ts',
      'src/gateway/observability/{metrics,tracing}.ts',
      'src/gateway/query/*.ts',
    ],
    rules: { 'querygate/growing-copies': 'error' },
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
        ...NO_DEFAULT_EXPORT,
        {
          selector: "Property[key.name='interruptAfterTimeLimit']",
          message:
            'The interrupted run goes on, and writes into the next test’s table: bound a property by numRuns.',
        },
      ],
    },
  },
  {
    files: [
      'endpoints/**',
      'src/commands/cli/templates/**',
      '*.config.mjs',
      'console/vite.config.ts',
      'test/support/global-*.mjs',
      'test/jest/*.mjs',
    ],
    rules: { 'no-restricted-syntax': 'off', 'max-lines-per-function': 'off' },
  },
  prettier,
);
