import type { CallToolResult, Client } from '@modelcontextprotocol/client';

import { keyNamed } from '../../support/access-gateway.js';
import { REVISIONS, rowsOfTool } from '../../support/mcp-client.js';
import { httpMessage, rawRequest } from '../../support/mcp-message.js';
import { McpOnClickHouse } from '../../support/mcp-on-clickhouse.js';
import { pollUntil } from '../../support/poll-until.js';
import { send } from '../../support/raw-exchange.js';
import { openForAll } from '../../support/opened.js';

/** A query that nothing cancels runs longer than {@link CANCELLED_WITHIN_MS}. */
const ENDLESS = { seconds: 60 };
const CANCELLED_WITHIN_MS = 10_000;

const mcp = openForAll(() => McpOnClickHouse.open());

const call = (client: Client, args: Record<string, unknown>, signal?: AbortSignal): Promise<CallToolResult> =>
  client.callTool({ name: 'slow', arguments: args }, { ...(signal && { signal }) });
const untilRunning = (requestId: string): Promise<unknown> =>
  pollUntil('the query runs', async () => (await mcp.running(requestId)) > 0 || undefined);
const untilCancelled = (requestId: string): Promise<unknown> =>
  pollUntil(
    'ClickHouse has cancelled the query',
    async () => (await mcp.running(requestId)) === 0 || undefined,
    CANCELLED_WITHIN_MS,
  );

/** The statuses of the messages with this request id in the gateway's log, once there are so many. */
const untilLogged = (requestId: string, count: number): Promise<readonly unknown[]> =>
  pollUntil(`${count} messages are logged`, () => {
    const lines = mcp.gateway.logger.lines.map(({ fields }) => fields);
    const messages = lines.filter((line) => line['requestId'] === requestId && line['method'] === 'POST');
    return messages.length >= count ? messages.map(({ status }) => status) : undefined;
  });

describe('a client that aborts its call', () => {
  it('in the revision 2026-07-28 cancels the query in ClickHouse', async () => {
    const requestId = 'abort-of-2026';
    const client = await mcp.connect({ requestId });
    const aborting = new AbortController();
    const rejected = expect(call(client, { city: 'a', ...ENDLESS }, aborting.signal)).rejects.toThrow();
    await untilRunning(requestId);
    aborting.abort();
    await rejected;
    await untilCancelled(requestId);
    expect(await untilLogged(requestId, 2)).toEqual([200, 499]);
  });

  // That revision cancels by a message of its own, and leaves the request of the call open.
  it('in the revision 2025-11-25 cancels the query in ClickHouse', async () => {
    const requestId = 'abort-of-2025';
    const client = await mcp.connect({ requestId, revision: '2025-11-25' });
    const other = await mcp.connect({ requestId: 'other', revision: '2025-11-25' });
    const aborting = new AbortController();
    const rejected = expect(call(client, { city: 'b', ...ENDLESS }, aborting.signal)).rejects.toThrow();
    await untilRunning(requestId);
    // Another client of the same key, whose messages have the same ids.
    for (const id of [0, 1, 2]) {
      await other.notification({ method: 'notifications/cancelled', params: { requestId: id } });
    }
    await other.listTools();
    expect(await mcp.running(requestId)).toBe(1);
    aborting.abort();
    await rejected;
    await untilCancelled(requestId);
    // initialize, notifications/initialized, notifications/cancelled, and the call.
    expect(await untilLogged(requestId, 4)).toEqual([200, 202, 202, 499]);
  });
});

it.each(REVISIONS)('a client of the revision %s that dies cancels its query', async (revision) => {
  const requestId = `death-of-${revision}`;
  const params = { name: 'slow', arguments: { city: 'c', ...ENDLESS } };
  const { headers, body } = httpMessage(revision, { method: 'tools/call', params });
  const identity = { 'X-API-KEY': keyNamed('caller'), 'X-Request-Id': requestId };
  const { port } = new URL(mcp.url);
  const socket = send(Number(port), rawRequest({ ...headers, ...identity }, body));
  await untilRunning(requestId);
  socket.destroy();
  await untilCancelled(requestId);
});

describe.each(REVISIONS)('in the revision %s, callers that share a query', (revision) => {
  it('have its result although the first of them cancels', async () => {
    const args = { city: `shared-${revision}`, seconds: 2 };
    const ids = ['leader', 'follower'].map((role) => `${role}-${revision}`);
    const [leaderId = '', followerId = ''] = ids;
    const leader = await mcp.connect({ requestId: leaderId, revision });
    const follower = await mcp.connect({ requestId: followerId, revision });
    const aborting = new AbortController();
    const rejected = expect(call(leader, args, aborting.signal)).rejects.toThrow();
    await untilRunning(leaderId);
    const result = call(follower, args);
    // The response to a later request shows that the gateway has read the call.
    await follower.listTools();
    aborting.abort();
    await rejected;
    expect(rowsOfTool(await result).rows).toEqual([{ city: args.city }]);
    // ClickHouse logs the end of a query after it has sent the result.
    const ended = await pollUntil('ClickHouse has logged the end of the query', async () => {
      const queries = (await mcp.ended()).filter(({ requestId }) => ids.includes(requestId));
      return queries.length > 0 ? queries : undefined;
    });
    expect(ended).toEqual([{ requestId: leaderId, type: 'QueryFinish' }]);
  });
});
