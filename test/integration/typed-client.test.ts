import { readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { KEYS, sharedDemoGateway } from '../support/demo-gateway.js';
import { runNode } from '../support/run-node.js';
import { makeTemporaryFolder } from '../support/temporary-folder.js';
import { openForAll } from '../support/opened.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MODULES = path.join(ROOT, 'node_modules');
const gatewayOf = sharedDemoGateway();

/** What the compiler must accept, and what it must reject on each marked line. */
const TYPES = `
import createClient from 'openapi-fetch';
import type { components, paths } from './querygate.js';

type Schemas = components['schemas'];
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;
const gateway = createClient<paths, 'application/json' | 'application/problem+json'>({ baseUrl: '/' });

export const columns: [
  Equal<Schemas['LogsAllRow']['timestamp'], string>,
  Equal<Schemas['LogsAllRow']['metadata'], { [key: string]: unknown } | null>,
  Equal<Schemas['UsageApiCountsRow']['total_rest_requests'], number>,
  Equal<Schemas['GetGroupedStatsRedirectsRow']['country'], string | null>,
] = [true, true, true, true];

export async function table(): Promise<number | undefined> {
  const { data } = await createClient<paths, 'application/vnd.querygate.table+json'>().GET(
    '/api/endpoints/query/logs.all',
    { params: { query: { project: 'a', format: 'json-table' } } },
  );
  const truncated: boolean | undefined = data?.truncated;
  return truncated ? data?.statistics?.rows_read : data?.data.length;
}

export async function use(): Promise<void> {
  const counts = '/api/endpoints/query/usage.api-counts';
  const grouped = '/api/endpoints/query/get-grouped-stats-events-logs';
  await gateway.GET(grouped);
  await gateway.GET(grouped, { params: { query: { event_ids: ['a', 'b'], event_type: 'anything' } } });
  // @ts-expect-error an interval that does not exist
  await gateway.GET(counts, { params: { query: { project: 'a', interval: 'yearly' } } });
  // @ts-expect-error a project is required
  await gateway.GET(counts, { params: { query: { interval: 'daily' } } });
  // @ts-expect-error parameters are required
  await gateway.GET(counts);
  // @ts-expect-error a list is not a string
  await gateway.GET(grouped, { params: { query: { event_ids: 'a,b' } } });
  // @ts-expect-error no such endpoint
  await gateway.GET('/api/endpoints/query/nothing');
  const { error } = await gateway.GET(grouped);
  // @ts-expect-error no such code
  if (error?.code === 'NO_SUCH_CODE') return;
  if (error?.code === 'LIMIT_EXCEEDED') {
    const status: 429 = error.status;
    // @ts-expect-error only a 400 has problems
    console.log(status, error.problems);
  }
}
`;

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2022', 'DOM', 'DOM.Iterable'],
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    noUnusedLocals: true,
    verbatimModuleSyntax: true,
    rootDir: '.',
    outDir: 'out',
  },
  include: ['*.ts'],
};

const folder = openForAll(makeTemporaryFolder);
let compiled: { readonly code: number | null; readonly output: string };

/** The program in the documentation. */
async function documentedCaller(): Promise<string> {
  const page = await readFile(path.join(ROOT, 'docs/how-to/connect-tools.md'), 'utf8');
  return /^```ts\n([\s\S]*?)^```/m.exec(page)?.[1] ?? '';
}

async function writeProject(): Promise<void> {
  const file = (name: string): string => path.join(folder.path, name);
  const document = await gatewayOf().get('/openapi.json');
  await symlink(MODULES, file('node_modules'));
  await writeFile(file('package.json'), '{"type":"module"}');
  await writeFile(file('tsconfig.json'), JSON.stringify(TSCONFIG));
  await writeFile(file('openapi.json'), await document.text());
  await writeFile(file('caller.ts'), await documentedCaller());
  await writeFile(file('types.ts'), TYPES);
}

beforeAll(async () => {
  await writeProject();
  const generator = path.join(MODULES, 'openapi-typescript/bin/cli.js');
  await runNode([generator, 'openapi.json', '-o', 'querygate.ts'], folder.path);
  compiled = await runNode([path.join(MODULES, 'typescript/bin/tsc'), '-p', folder.path]);
});

const runCaller = (apiKey: string): ReturnType<typeof runNode> =>
  runNode(['out/caller.js'], folder.path, { QUERYGATE: gatewayOf().url, API_KEY: apiKey });

describe('types generated from /openapi.json', () => {
  it('compile under strict, declare the columns, and reject what the gateway would reject', () => {
    expect(compiled).toEqual({ code: 0, output: '' });
  });

  it('work in the documented program, which prints rows', async () => {
    const { code, output } = await runCaller(KEYS.all);
    expect(code).toBe(0);
    expect(output).toMatch(/^\d{4}-\d\d-\d\dT00:00:00Z \d+$/m);
  });

  it('work in the documented program, which reports a rejected key by its code', async () => {
    const { code, output } = await runCaller('unknown');
    expect(code).toBe(1);
    expect(output).toContain('API_KEY_INVALID: ');
  });
});
