import { once } from 'node:events';
import { cp, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { KEYS, sharedDemoGateway } from '../support/demo-gateway.js';
import { makeTemporaryFolder, type TemporaryFolder } from '../support/made-folder.js';
import { runNode } from '../support/run-node.js';

/** What these tests use of the generated module, whose types only the compiler of the test below knows. */
interface Client {
  usageApiCounts: (parameters: object, options?: object) => Promise<Answer>;
  logsAll: (parameters: object, options?: object) => Promise<Answer>;
  getGroupedStatsEventsLogs: (parameters?: object, options?: object) => Promise<Answer>;
}
interface Answer {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly truncated: boolean;
  readonly cache: { readonly status: string; readonly ageSeconds?: number };
  readonly requestId: string;
}
interface Module {
  readonly createClient: (options: object) => Client;
  readonly QuerygateError: new () => Error;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');
const gatewayOf = sharedDemoGateway();

/** A program of somebody who uses the client; each marked line has to be refused. */
const USER = `
import { createClient, QuerygateError, type LogsAllRow } from './querygate-client.js';

const client = createClient({ baseUrl: 'http://127.0.0.1', apiKey: async () => 'k' });
export async function use(): Promise<LogsAllRow | undefined> {
  const { rows } = await client.usageApiCounts({ project: 'a', interval: 'daily' });
  const total: number | undefined = rows[0]?.total_rest_requests;
  await client.getGroupedStatsEventsLogs();
  await client.getGroupedStatsEventsLogs({ event_ids: ['a', 'b'], event_type: 'anything', start_time: new Date() });
  // @ts-expect-error an interval that there is not
  await client.usageApiCounts({ project: 'a', interval: 'yearly' });
  // @ts-expect-error a project is required
  await client.usageApiCounts({ interval: 'daily' });
  // @ts-expect-error no such parameter
  await client.logsAll({ project: 'a', nothing: 'a' });
  // @ts-expect-error a list is no text
  await client.getGroupedStatsEventsLogs({ event_ids: 'a,b' });
  // @ts-expect-error can be null
  const hit: string | undefined = (await client.getGroupedStatsRedirects()).rows[0]?.country;
  try {
    return (await client.logsAll({ project: 'a', iso_timestamp_end: undefined })).rows[0];
  } catch (error) {
    if (error instanceof QuerygateError && error.code === 'LIMIT_EXCEEDED') return undefined;
    // @ts-expect-error no such code
    if (error instanceof QuerygateError && error.code === 'NO_SUCH_CODE') return undefined;
    throw new Error(String(total) + String(hit));
  }
}
`;

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    module: 'NodeNext',
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noPropertyAccessFromIndexSignature: true,
    noImplicitReturns: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    noImplicitOverride: true,
    isolatedModules: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    outDir: 'out',
  },
  include: ['*.ts'],
};

let folder: TemporaryFolder;
let compiled: { readonly code: number | null; readonly output: string };
let module: Module;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  const file = path.join(folder.path, 'querygate-client.ts');
  await runNode([path.join(ROOT, 'dist/src/cli/client.js'), '--out', file]);
  await writeFile(path.join(folder.path, 'user.ts'), USER);
  await writeFile(path.join(folder.path, 'package.json'), '{"type":"module"}');
  await writeFile(path.join(folder.path, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  compiled = await runNode([TSC, '-p', folder.path]);
  const built = path.join(folder.path, 'client.mjs');
  await cp(path.join(folder.path, 'out', 'querygate-client.js'), built);
  module = (await import(pathToFileURL(built).href)) as Module;
}, 60_000);

afterAll(() => folder.remove());

const clientOf = (options: object = {}): Client =>
  module.createClient({ baseUrl: gatewayOf().url, apiKey: KEYS.all, ...options });

/** Runs a body with a server that answers as the listener does. */
async function whileAnswering(
  listener: RequestListener,
  use: (baseUrl: string) => Promise<void>,
): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Answers with 503 a number of times, then with no rows; keeps count. */
function busyFor(times: number, retryAfter: string): { listener: RequestListener; asked: () => number } {
  let asked = 0;
  const listener: RequestListener = (_request, response) => {
    asked += 1;
    if (asked > times) response.end('{"result":[]}');
    else response.writeHead(503, { 'Retry-After': retryAfter }).end('<h1>Busy</h1>');
  };
  return { listener, asked: () => asked };
}

const COUNTS = { project: 'aurora', interval: 'daily' };

describe('the generated client', () => {
  it('compiles under strict, and refuses what the gateway would refuse', () => {
    expect(compiled).toEqual({ code: 0, output: '' });
  });

  it('gets rows, whether they are all, and how they came about', async () => {
    const client = clientOf();
    const answer = await client.usageApiCounts(COUNTS);
    expect(answer.rows.length).toBeGreaterThan(0);
    expect(answer.rows[0]).toMatchObject({ timestamp: expect.any(String) as string });
    expect(answer).toMatchObject({ truncated: false, cache: { status: 'MISS' } });
    const again = await client.usageApiCounts(COUNTS);
    expect(again).toMatchObject({ rows: answer.rows, cache: { status: 'HIT' } });
    expect(again.cache.ageSeconds).toBeGreaterThanOrEqual(0);
    expect(again.requestId).toMatch(/^[\da-f-]{36}$/);
    const { cache } = await client.logsAll({ project: 'aurora', project_tier: 'PRO' });
    expect(cache).toEqual({ status: 'BYPASS', ageSeconds: undefined });
  });

  it('sends times and lists as the gateway reads them', async () => {
    const client = clientOf();
    const since = new Date(Date.now() - 86_400_000);
    const late = await client.logsAll({ project: 'aurora', project_tier: 'PRO', iso_timestamp_end: since });
    expect(late.rows.every(({ timestamp }) => Date.parse(String(timestamp)) <= since.getTime())).toBe(true);
    const all = await client.getGroupedStatsEventsLogs();
    const ids = [...new Set(all.rows.map(({ event_id }) => event_id))]
      .filter((id) => id !== null)
      .slice(0, 2);
    const some = await client.getGroupedStatsEventsLogs({ event_ids: ids });
    expect(new Set(some.rows.map(({ event_id }) => event_id))).toEqual(new Set(ids));
    for (const event_ids of [[], ['a,b']]) {
      await expect(client.getGroupedStatsEventsLogs({ event_ids })).rejects.toThrow(TypeError);
    }
  });

  it('throws an error that says what is wrong', async () => {
    const wrong = clientOf().usageApiCounts({ project: '(', interval: 'yearly' });
    await expect(wrong).rejects.toBeInstanceOf(module.QuerygateError);
    await expect(wrong).rejects.toMatchObject({
      name: 'QuerygateError',
      status: 400,
      code: 'INVALID_PARAMETERS',
      detail: expect.stringContaining('interval must be one of') as string,
      problems: [{ param: 'interval' }],
      requestId: expect.any(String) as string,
    });
    await expect(clientOf({ apiKey: () => 'unknown' }).usageApiCounts(COUNTS)).rejects.toMatchObject({
      status: 401,
      code: 'API_KEY_INVALID',
      problems: [],
    });
  });

  it('does not wait for longer than it may, and tells how long that would be', async () => {
    const client = clientOf({ apiKey: KEYS.limited, maxRetryDelayMs: 1 });
    await client.usageApiCounts(COUNTS);
    const error = await client.usageApiCounts(COUNTS).catch((refused: unknown) => refused);
    expect(error).toMatchObject({ status: 429, code: 'LIMIT_EXCEEDED' });
    expect((error as { retryAfter: number }).retryAfter).toBeGreaterThan(0);
  });

  it.each([
    ['seconds', () => '1'],
    // A date has whole seconds, so that one two seconds away is at least one away.
    ['a date', () => new Date(Date.now() + 2000).toUTCString()],
  ])('tries again after Retry-After in %s', async (_form, retryAfter) => {
    const { listener, asked } = busyFor(1, retryAfter());
    await whileAnswering(listener, async (baseUrl) => {
      const startedAt = performance.now();
      expect((await clientOf({ baseUrl: `${baseUrl}/` }).usageApiCounts(COUNTS)).rows).toEqual([]);
      expect(performance.now() - startedAt).toBeGreaterThan(950);
      expect(asked()).toBe(2);
    });
  });

  it('gives up after as many tries as it was told', async () => {
    const { listener, asked } = busyFor(99, '0');
    await whileAnswering(listener, async (baseUrl) => {
      await expect(clientOf({ baseUrl, retries: 1 }).usageApiCounts(COUNTS)).rejects.toMatchObject({
        status: 503,
        code: 'UNKNOWN',
        detail: 'The gateway answered with status 503.',
        retryAfter: 0,
      });
      expect(asked()).toBe(2);
    });
  });

  it('stops when it is aborted, in the middle of a request or of a pause', async () => {
    const reason = new Error('enough');
    const stop = new AbortController();
    const hangs: RequestListener = () => {
      stop.abort(reason);
    };
    await whileAnswering(hangs, async (baseUrl) => {
      await expect(clientOf({ baseUrl }).usageApiCounts(COUNTS, { signal: stop.signal })).rejects.toBe(
        reason,
      );
    });
    const { listener, asked } = busyFor(99, '20');
    const own = new AbortController();
    const stopsSoon: RequestListener = (request, response) => {
      listener(request, response);
      setTimeout(() => {
        own.abort(reason);
      }, 100);
    };
    await whileAnswering(stopsSoon, async (baseUrl) => {
      const client = clientOf({ baseUrl, signal: own.signal });
      const { signal } = new AbortController();
      await expect(client.usageApiCounts(COUNTS, { signal })).rejects.toBe(reason);
      expect(asked()).toBe(1);
    });
  });
});
