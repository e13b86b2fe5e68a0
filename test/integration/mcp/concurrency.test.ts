import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { CallToolResult } from '@modelcontextprotocol/client';

import { keyNamed } from '../../support/access-gateway.js';
import type { ToolRows } from '../../support/mcp-client.js';
import { httpMessage } from '../../support/mcp-message.js';
import { McpOnClickHouse } from '../../support/mcp-on-clickhouse.js';
import { sendRequest } from '../../support/network-request.js';
import { openForAll } from '../../support/opened.js';

const CALLS = 400;
const KEY = keyNamed('caller');
const CITIES = 10;
/** What so many calls may leave behind: far less than 5 kB each, the size of a server object of the SDK. */
const CALLS_IN_MEMORY = 250;
const MAX_GROWTH_BYTES = 1.25e6;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const mcp = openForAll(() => McpOnClickHouse.open());

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

it('400 calls at once return their own rows and run one query for each distinct call', async () => {
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
