import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { CallToolResult } from '@modelcontextprotocol/client';

import { keyNamed } from '../../support/access-gateway.js';
import { rowsOfTool, textOfTool, type ToolRows } from '../../support/mcp-client.js';
import { httpMessage } from '../../support/mcp-message.js';
import { McpOnClickHouse } from '../../support/mcp-on-clickhouse.js';
import { sendRequest } from '../../support/network-request.js';

const CALLS = 1000;
const KEY = keyNamed('caller');
const CITIES = 10;
/** What so many calls may leave behind: far less than 5 kB each, the size of a server object of the SDK. */
const CALLS_IN_MEMORY = 250;
const MAX_GROWTH_BYTES = 1.25e6;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let mcp: McpOnClickHouse;
beforeAll(async () => {
  mcp = await McpOnClickHouse.open({
    keys: { caller: {}, metered: { limits: { requests: { quota: 100, window: 3600 } } } },
  });
});
afterAll(() => mcp.close());

/**
 * Sends calls at once, each on a connection of its own, half of them in each revision. Without the SDK's client, which shares the
 * event loop with the gateway here, and takes so much of it that connections would reach the gateway's timeouts.
 */
async function callAtOnce(
  count: number,
  cityOf: (index: number) => string,
): Promise<readonly CallToolResult[]> {
  const responses = await Promise.all(
    Array.from({ length: count }, (_, index) => {
      const params = { name: 'slow', arguments: { city: cityOf(index) } };
      const message = { method: 'tools/call', params, id: index };
      const { headers, body } = httpMessage(index % 2 === 0 ? '2026-07-28' : '2025-11-25', message);
      return sendRequest(mcp.url, { method: 'POST', headers: { ...headers, 'X-API-KEY': KEY }, body });
    }),
  );
  return responses.map(({ text }, index) => {
    const { id, result } = JSON.parse(text) as { readonly id: unknown; readonly result: CallToolResult };
    expect(id).toBe(index);
    return result;
  });
}

const rowsIn = (results: readonly CallToolResult[]): readonly unknown[] =>
  results.map(({ structuredContent }) => (structuredContent as Partial<ToolRows> | undefined)?.rows);

it('1,000 calls at once return their own rows and run one query for each distinct call', async () => {
  const distinct = (count: number) => (index: number) => `city ${index % count}`;
  const hot = distinct(CITIES);
  const results = await callAtOnce(CALLS, hot);
  expect(rowsIn(results)).toEqual(Array.from({ length: CALLS }, (_, index) => [{ city: hot(index) }]));
  expect(await mcp.ended()).toHaveLength(CITIES);
  const mixed = distinct(2 * CITIES);
  const more = await callAtOnce(2 * CITIES * 2, mixed);
  expect(rowsIn(more)).toEqual(more.map((_, index) => [{ city: mixed(index) }]));
  expect(await mcp.ended()).toHaveLength(2 * CITIES);
  expect(mcp.complaints).toEqual([]);
});

it('calls leave nothing behind in memory', async () => {
  const heapAfterCalls = async (): Promise<number> => {
    await callAtOnce(CALLS_IN_MEMORY, () => 'city 0');
    mcp.gateway.logger.lines.length = 0;
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await heapAfterCalls();
  const before = await heapAfterCalls();
  expect((await heapAfterCalls()) - before).toBeLessThan(MAX_GROWTH_BYTES);
});

it('calls beyond a limit of their key are tool errors that say when to call again; the others succeed', async () => {
  // Connecting takes one of its 100 requests.
  const client = await mcp.connect({ key: 'metered' });
  const calls = Array.from({ length: 150 }, () =>
    client.callTool({ name: 'slow', arguments: { city: 'metered' } }),
  );
  const results = await Promise.all(calls);
  const rejected = results.filter(({ isError }) => isError);
  expect(results.length - rejected.length).toBe(99);
  for (const result of rejected) {
    expect(textOfTool(result)).toMatch(/Try again in \d+ seconds\.\n\(LIMIT_EXCEEDED, request /);
    expect(result._meta?.['querygate/problem']).toMatchObject({
      status: 429,
      code: 'LIMIT_EXCEEDED',
      retryAfterSeconds: expect.any(Number) as number,
    });
  }
  const other = await mcp.connect();
  expect(rowsOfTool(await other.callTool({ name: 'slow', arguments: { city: 'metered' } })).rowsFound).toBe(
    1,
  );
  await expect(client.listTools()).rejects.toThrow();
});

it('calls beyond the query queue are tool errors with 503 that say when to call again', async () => {
  const environment = { MAX_CONCURRENT_QUERIES: '1', MAX_QUEUED_QUERIES: '1' };
  const busy = await McpOnClickHouse.open({ environment, database: mcp.database });
  try {
    const client = await busy.connect();
    const cities = Array.from({ length: 20 }, (_, index) => `busy ${index}`);
    const results = await Promise.all(
      cities.map((city) => client.callTool({ name: 'slow', arguments: { city, seconds: 1 } })),
    );
    const rejected = results.filter(({ isError }) => isError);
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected.length).toBeLessThan(cities.length);
    for (const result of rejected) {
      expect(textOfTool(result)).toMatch(/Call again in \d+ s, not before\./);
      expect(result._meta?.['querygate/problem']).toMatchObject({ status: 503, retryAfterSeconds: 1 });
    }
  } finally {
    await busy.close();
  }
});
