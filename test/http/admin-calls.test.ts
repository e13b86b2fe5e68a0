import request from 'supertest';

import { text } from '../../src/endpoint/index.js';
import { defineEndpoint } from '../../src/endpoint/endpoint.js';
import { AccessGateway, keyNamed } from '../support/access-gateway.js';
import { connectMcp, REVISIONS, textOfTool } from '../support/mcp-client.js';
import { outcomeOf, type NetworkResponse } from '../support/network-request.js';
import { delayQueries } from '../support/pending-queries.js';
import { pollUntil } from '../support/poll-until.js';
import { SAMPLE } from '../support/sample-endpoint.js';
import { openForEach } from '../support/opened.js';

const SECRET = 'tok-4711-that-nobody-may-see';
const SECRETIVE = defineEndpoint({
  ...SAMPLE,
  staleIfError: 600,
  parameters: { ...SAMPLE.parameters, token: text({ description: 'A token.', secret: true }) },
});

const gateway = openForEach(() =>
  AccessGateway.open({ keys: { caller: {}, other: {} }, endpoints: [SECRETIVE] }),
);

interface ListedCall {
  readonly id: string;
  readonly seconds: number;
  readonly parameters: Readonly<Record<string, unknown>>;
}
const listed = async (): Promise<readonly ListedCall[]> => {
  const response = await request(gateway.admin).get('/calls').expect(200);
  return (response.body as { calls: readonly ListedCall[] }).calls;
};
const untilListed = (count: number): Promise<readonly ListedCall[]> =>
  pollUntil(`${count} calls run`, async () => {
    const calls = await listed();
    return calls.length === count ? calls : undefined;
  });
const cancel = (id: string): Promise<{ status: number; body: unknown }> =>
  request(gateway.admin).post(`/calls/${encodeURIComponent(id)}/cancel`);
const send = (key: string, id: string, query = 'city=Rome', headers = {}): Promise<NetworkResponse> =>
  gateway.send(key, `/api/endpoints/query/sample?${query}`, { headers: { 'X-Request-Id': id, ...headers } });

describe('GET /calls', () => {
  it('lists the calls that run, oldest first, with values as they were written and no secrets', async () => {
    const pending = delayQueries(gateway.runQuery);
    const first = send('caller', 'first', `city=Rome&token=${SECRET}&unknown=${SECRET}&format=json`);
    await untilListed(1);
    gateway.clock.advance(1.5);
    const second = send('other', 'first');
    const calls = await untilListed(2);
    expect(calls).toEqual([
      {
        id: 'first',
        endpoint: 'sample',
        key: 'caller',
        parameters: {
          city: 'Rome',
          token: { hmac: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
        },
        since: '2026-05-17T10:05:03.000Z',
        seconds: 1.5,
        export: false,
      },
      expect.objectContaining({ key: 'other', parameters: { city: 'Rome' }, seconds: 0 }),
    ]);
    expect(calls[1]?.id).not.toBe('first');
    expect(JSON.stringify(calls)).not.toContain(SECRET);
    pending.finish([]);
    await Promise.all([first, second]);
    expect(await listed()).toEqual([]);
  });

  it('lists no call that is invalid or has failed', async () => {
    gateway.runQuery.fail(new Error('unreachable'));
    expect((await send('caller', 'failing')).status).toBe(500);
    expect((await send('caller', 'invalid', 'city=a&city=b')).status).toBe(400);
    expect(await listed()).toEqual([]);
  });
});

describe('POST /calls/{id}/cancel', () => {
  it.each([
    ['', {}],
    [' that also has a deadline', { Prefer: 'wait=60' }],
  ])('returns 503 without Retry-After to a caller%s, and cancels its query', async (_what, headers) => {
    delayQueries(gateway.runQuery);
    const waiting = send('caller', 'a/b', 'city=Rome', headers);
    await untilListed(1);
    const { status, body } = await cancel('a/b');
    expect([status, body]).toEqual([200, { cancelled: 'a/b' }]);
    const response = await waiting;
    expect(outcomeOf(response)).toBe('503 CALL_CANCELLED');
    expect(response.headers['retry-after']).toBeUndefined();
    expect(response.text).toContain('An operator');
    expect(gateway.runQuery.onlyRequest.signal.aborted).toBe(true);
    expect(await listed()).toEqual([]);
    const { fields } = await gateway.logger.line('call cancelled');
    expect(fields).toMatchObject({ call: 'a/b', key: 'caller' });
  });

  it('leaves the query to the others who wait for it', async () => {
    const pending = delayQueries(gateway.runQuery);
    const cancelled = send('caller', 'leader');
    await untilListed(1);
    const other = send('other', 'follower');
    await untilListed(2);
    await cancel('leader');
    expect(outcomeOf(await cancelled)).toBe('503 CALL_CANCELLED');
    expect(gateway.runQuery.onlyRequest.signal.aborted).toBe(false);
    pending.finish([{ city: 'Rome' }]);
    expect(outcomeOf(await other)).toBe('200');
  });

  it('has a stale result sent, where there is one', async () => {
    await send('caller', 'before');
    gateway.clock.advance(70);
    delayQueries(gateway.runQuery);
    const waiting = send('caller', 'stale');
    await untilListed(1);
    await cancel('stale');
    expect((await waiting).headers['x-cache']).toBe('STALE');
  });

  // The earlier revision has a session, by which its client cancels too.
  it.each(REVISIONS)('cancels the call of a tool in the revision %s', async (revision) => {
    delayQueries(gateway.runQuery);
    const headers = { 'X-API-KEY': keyNamed('caller'), 'X-Request-Id': 'tool' };
    const client = await connectMcp({ url: `${gateway.url()}/mcp`, headers, revision });
    const waiting = client.callTool({ name: 'sample', arguments: { city: 'Rome' } });
    const [call] = await untilListed(1);
    expect(call).toMatchObject({ id: 'tool', key: 'caller', parameters: { city: 'Rome' } });
    await cancel('tool');
    expect(textOfTool(await waiting)).toContain('CALL_CANCELLED');
    expect(gateway.runQuery.onlyRequest.signal.aborted).toBe(true);
    await client.close();
  });

  it('returns 404 for a call that does not run, and 405 for GET', async () => {
    const unknown = await request(gateway.admin).post('/calls/unknown/cancel');
    expect([unknown.status, (unknown.body as { code: string }).code]).toEqual([404, 'NOT_FOUND']);
    expect((await request(gateway.admin).get('/calls/unknown/cancel')).status).toBe(405);
  });
});
