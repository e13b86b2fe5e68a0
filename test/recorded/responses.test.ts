import { readFile, writeFile } from 'node:fs/promises';

import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { useTestDatabase, variable } from '../support/clickhouse.js';
import { binary, createTestGateway, type TestGateway } from '../support/test-gateway.js';
import { recordedRequests, type RecordedRequest } from './requests.js';
import { NOW, rowsByTable } from './rows.js';

/*
 * Compares responses before and after a change: RESPONSES=record:FILE writes them, RESPONSES=replay:FILE compares them.
 * Not part of the suite (see jest.config.mjs).
 */

const COMPARED_HEADERS = ['content-type', 'x-row-count', 'x-truncated', 'x-cache', 'cache-control'] as const;

interface RecordedResponse extends RecordedRequest {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Text unchanged; bytes of other formats as Base64. */
  readonly body: string;
}

const [mode = '', file = ''] = variable('RESPONSES').split(':');

const database = useTestDatabase();
let gateway: TestGateway;

beforeAll(async () => {
  for (const [table, rows] of rowsByTable()) await database.insert(table, rows);
  gateway = await createTestGateway({ clock: () => NOW });
  gateway.runQuery.respondWith(createQueryRunner(database.client, { timeoutMs: 20_000 }));
});

async function respond(request: RecordedRequest): Promise<RecordedResponse> {
  const { path, prefer } = request;
  const response = await gateway
    .get(path)
    .set(prefer === undefined ? {} : { Prefer: prefer })
    .buffer(true)
    .parse(binary);
  const bytes = response.body as Buffer;
  const isText = !/format=(?:parquet|arrow)/.test(path);
  return {
    ...request,
    status: response.status,
    headers: Object.fromEntries(COMPARED_HEADERS.map((name) => [name, response.headers[name] ?? null])),
    body: isText ? withoutStatistics(bytes.toString()) : bytes.toString('base64'),
  };
}

/** The cost of a query differs each time. */
const withoutStatistics = (body: string): string => body.replace(/,"statistics":\{[^}]*\}\}$/, '}');

it(`${mode} the responses of all requests`, async () => {
  const responses: RecordedResponse[] = [];
  for (const request of recordedRequests()) responses.push(await respond(request));
  expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
  if (mode === 'record') {
    await writeFile(file, responses.map((response) => `${JSON.stringify(response)}\n`).join(''));
    return;
  }
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  const recorded = lines.map((line) => JSON.parse(line) as RecordedResponse);
  const changed = responses.flatMap((response, index) => {
    const before = recorded[index];
    return JSON.stringify(before) === JSON.stringify(response) ? [] : [{ before, response }];
  });
  // The first few show what has changed.
  const first = changed.slice(0, 3);
  expect(first.map(({ response }) => response)).toEqual(first.map(({ before }) => before));
  expect(responses).toHaveLength(recorded.length);
}, 300_000);
