import { resultOf } from '../../support/fake-run-query.js';
import { rowsOfTool, textOfTool } from '../../support/mcp-client.js';
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
      'rows has the first 50 of 120 rows. Send max_rows 120 for all of them. Narrow the request with unit, since, names, token, shop.',
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
    shop.gateway.runQuery.returnRows([{ city: 'x'.repeat(2000) }]);
    expect(rowsOfTool(await callTool(client, { city: 'b' }, 'sample'))).toMatchObject({
      rowsReturned: 0,
      rowsFound: 1,
    });
  });

  it('is empty where the endpoint has no rows', async () => {
    shop.gateway.runQuery.returnRows([]);
    const result = rowsOfTool(await callTool(await shop.connect(), { shop: 'rome' }));
    expect(result).toMatchObject({ rowsReturned: 0, rowsFound: 0, notes: [], rows: [] });
  });

  it('has numbers that a double cannot hold as texts, and all others as numbers', async () => {
    const rows = [
      '{"id":18446744073709551615,"price":1234567890123.0123456789,"level":"low","at":null}',
      '{"id":9007199254740991,"price":0.1,"level":"1234567890123456789","at":null}',
    ];
    const body = Buffer.from(`{"result":[${rows.join(',\n')}]}`);
    shop.gateway.runQuery.respondWith(() => Promise.resolve({ ...resultOf(rowsOf(2)), body }));
    const result = rowsOfTool(await callTool(await shop.connect(), { shop: 'rome' }));
    expect(result.rows).toEqual([
      { id: '18446744073709551615', price: '1234567890123.0123456789', level: 'low', at: null },
      { id: 9_007_199_254_740_991, price: 0.1, level: '1234567890123456789', at: null },
    ]);
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
      '- names must not be an empty array; omit it, or send null',
      '- shp is no argument of this tool, which has shop, unit, since, names, token, max_rows',
      '- format is no argument of this tool, which has shop, unit, since, names, token, max_rows',
      '- max_rows must be an integer from 1 to 200, the row cap',
      '- shop is required',
      '- unit must be one of day, hour',
      'Correct them and call again.',
    ]);
    expect(shop.gateway.runQuery.requests).toEqual([]);
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
