import type { CallToolResult } from '@modelcontextprotocol/client';

import { resultOf } from '../../support/fake-run-query.js';
import { rowsOfTool, textOfTool } from '../../support/mcp-client.js';
import { httpMessage } from '../../support/mcp-message.js';
import { callTool, ORDERS, rowsOf, useMcpShop } from '../../support/mcp-shop.js';

const shop = useMcpShop();

describe('a result', () => {
  it('shares the query and the cache entry of the same HTTP request', async () => {
    const client = await shop.connect();
    const http = await shop.gateway.send('all', '/api/endpoints/query/shop.daily-orders?shop=rome');
    expect(http.headers['x-cache']).toBe('MISS');
    shop.gateway.clock.advance(10);
    expect(rowsOfTool(await callTool(client, { shop: 'rome' }))).toMatchObject({
      ageSeconds: 10,
      freshSeconds: 50,
    });
    expect(rowsOfTool(await callTool(client, { shop: 'rome', max_rows: 3 })).rows).toEqual(rowsOf(3));
    expect(shop.gateway.runQuery.requests).toHaveLength(1);
  });

  it('says how to get the other rows', async () => {
    const client = await shop.connect();
    const { notes } = rowsOfTool(await callTool(client, { shop: 'rome' }));
    expect(notes).toEqual([
      'rows has the first 50 of 120 rows. For more, send a larger max_rows, up to 120. Narrow the request with unit, since, names, token, shop.',
    ]);
    const all = rowsOfTool(await callTool(client, { shop: 'rome', max_rows: 120 }));
    expect([all.rowsReturned, all.notes]).toEqual([120, []]);
  });

  it('says where the row cap cut it', async () => {
    shop.gateway.runQuery.returnRows(rowsOf(3), true);
    const result = rowsOfTool(await callTool(await shop.connect(), { shop: 'rome' }));
    expect(result).toMatchObject({ rowsReturned: 3, rowsFound: 3, truncated: true });
    expect(result.notes).toEqual([
      'The query has more rows than the row cap of shop.daily-orders, 200: rowsFound counts the first ones only. Narrow the request with unit, since, names, token, shop.',
    ]);
  });

  it('has no more bytes than the bound, and says so', async () => {
    await shop.gateway.close();
    await shop.open({ environment: { MCP_MAX_RESULT_KB: '1' } });
    const row = { city: 'x'.repeat(400) };
    shop.gateway.runQuery.returnRows([row, row, row]);
    const client = await shop.connect();
    const result = rowsOfTool(await callTool(client, { city: 'a' }, 'sample'));
    expect(result).toMatchObject({ rowsReturned: 2, rowsFound: 3 });
    expect(result.notes.join()).toContain('one more would exceed 1024 bytes');
  });

  it('is empty where the endpoint has no rows', async () => {
    shop.gateway.runQuery.returnRows([]);
    const result = rowsOfTool(await callTool(await shop.connect(), { shop: 'rome' }));
    expect(result).toMatchObject({ rowsReturned: 0, rowsFound: 0, notes: [], rows: [] });
  });

  it('has a number as a text where a double would lose digits', async () => {
    const body = Buffer.from('{"result":[{"id":9007199254740993,"level":"9007199254740993"}]}');
    shop.gateway.runQuery.respondWith(() => Promise.resolve({ ...resultOf(rowsOf(1)), body }));
    const result = rowsOfTool(await callTool(await shop.connect(), { shop: 'rome' }));
    expect(result.rows).toEqual([{ id: '9007199254740993', level: '9007199254740993' }]);
  });

  it('says so where the first row alone is too large', async () => {
    await shop.gateway.close();
    await shop.open({ environment: { MCP_MAX_RESULT_KB: '1' } });
    shop.gateway.runQuery.returnRows([{ city: 'x'.repeat(2000) }]);
    const result = rowsOfTool(await callTool(await shop.connect(), { city: 'b' }, 'sample'));
    expect(result).toMatchObject({ rowsReturned: 0, rowsFound: 1 });
    expect(result.notes.join()).toMatch(/^The first row alone exceeds 1024 bytes/);
  });
});

describe('an error', () => {
  const errorOf = async (args: Record<string, unknown>, name?: string): Promise<string> => {
    const result = await callTool(await shop.connect(), args, name);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toBeUndefined();
    return textOfTool(result);
  };

  it('lists every problem of the arguments', async () => {
    const found = await errorOf({ shp: 'rome', unit: 'week', names: [], max_rows: 201, format: 'csv' });
    expect(found.split('\n').slice(0, -1)).toEqual([
      'The arguments are invalid:',
      '- shp is no argument of this tool, which has shop, unit, since, names, token, max_rows',
      '- format is no argument of this tool',
      '- max_rows must be an integer from 1 to 200, the row cap',
      '- shop is required',
      '- unit must be one of day, hour',
      '- names must not be an empty array; omit it, or send null',
      'Correct them and call again.',
    ]);
    expect(shop.gateway.runQuery.requests).toEqual([]);
  });

  it('lists few of many unknown names, and each of them shortened', async () => {
    const names = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`${index}${'x'.repeat(10)}`, 1]),
    );
    const found = await errorOf({ shop: 'rome', ...names, ['y'.repeat(5000)]: 1 });
    expect(found).toContain('- arguments has 9996 more unknown names');
    expect(found.length).toBeLessThan(600);
    expect(await errorOf({ shop: 'rome', ['y'.repeat(5000)]: 1 })).toContain(
      `- ${'y'.repeat(64)} is no argument`,
    );
  });

  it.each([null, 'text', 7, [['shop', 'rome']]])(
    'says that arguments must be an object, not %j',
    async (sent) => {
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'sample', arguments: sent },
      };
      const response = await shop.gateway.send('all', '/mcp', {
        method: 'POST',
        body: JSON.stringify(message),
        headers: httpMessage('2025-11-25', message).headers,
      });
      expect(response.status).toBe(200);
      const { result } = JSON.parse(response.text) as { readonly result: CallToolResult };
      expect([result.isError, textOfTool(result)]).toEqual([
        true,
        expect.stringContaining('- arguments must be an object'),
      ]);
    },
  );

  it('does not contain rows that are no JSON', async () => {
    const body = Buffer.from('{"result":[{"id":secret text}]}');
    shop.gateway.runQuery.respondWith(() => Promise.resolve({ ...resultOf(rowsOf(1)), body }));
    const found = await errorOf({ shop: 'rome' });
    expect(found).toContain('CLICKHOUSE_ANSWER_BROKEN');
    const logged = shop.gateway.logger.lines.filter(({ level }) => level !== 'debug');
    expect(found + JSON.stringify(logged)).not.toContain('secret text');
  });

  it.each([0, -1, 1.5, 'ten', true, [1]])('rejects max_rows %j', async (maxRows) => {
    expect(await errorOf({ shop: 'rome', max_rows: maxRows })).toContain(
      'max_rows must be an integer from 1 to 200',
    );
  });

  it('is of the protocol for a tool that the key may not call, as for one that does not exist', async () => {
    const few = await shop.connect('few');
    const errors: unknown[] = [];
    for (const name of ['shop_daily-orders', 'shop.daily-orders', 'nothing', ORDERS.id, '', '__proto__']) {
      await callTool(few, {}, name).catch((error: unknown) => errors.push(error));
    }
    expect(errors).toHaveLength(6);
    for (const error of errors) {
      expect(error).toMatchObject({ code: -32_602 });
      expect(String(error)).toContain('No tool that this key may call');
    }
  });
});
