import { connectClickHouse } from '../../../src/gateway/clickhouse/connect-clickhouse.js';
import { VARYING_FUNCTIONS } from '../../../src/gateway/facts/query-facts.js';
import { isAllowedFunction } from '../../../src/gateway/sandbox/functions.js';
import { VARYING } from '../../../src/gateway/tables/check-statement.js';
import { adminConnection } from '../../support/clickhouse.js';

test('no result of a function that varies by ClickHouse’s word is cached', async () => {
  const client = connectClickHouse(adminConnection('default'), {
    ...{ maxOpenConnections: 1, requestTimeoutMs: 60_000 },
  });
  try {
    const result = await client.query({ query: VARYING_FUNCTIONS, format: 'JSONEachRow' });
    const names = (await result.json<{ name: string }>())
      .map(({ name }) => name)
      .filter((name) => isAllowedFunction(name));
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !VARYING.test(name))).toEqual([]);
  } finally {
    await client.close();
  }
});
