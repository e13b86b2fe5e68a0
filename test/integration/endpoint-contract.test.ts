import type { QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';

import { connectClickHouse } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { createQueryRunner } from '../../src/gateway/clickhouse/query-runner.js';
import { bindQuery, type BoundQuery } from '../../src/endpoint/bind.js';
import { rowCap, type Endpoint } from '../../src/endpoint/endpoint.js';
import { validateParameters } from '../../src/gateway/query/validate-parameters.js';
import { demoDatabase, type DemoDatabase } from '../support/demo-database.js';
import { rawParameters } from '../support/raw-parameters.js';
import { referenceEndpoints } from '../../bench/reference-project.js';

const registry = await referenceEndpoints();
let demo: DemoDatabase;
let client: QueryClient;

beforeAll(async () => {
  demo = await demoDatabase();
  client = connectClickHouse(demo.connection, { maxOpenConnections: 4, requestTimeoutMs: 60_000 });
});

afterAll(() => client.close());

const bindExample = (endpoint: Endpoint): BoundQuery =>
  bindQuery(
    endpoint.query,
    validateParameters(endpoint, rawParameters(endpoint.example)),
    new Set(),
    demo.now,
    rowCap(endpoint) + 1,
  );

describe.each(registry.all().map((endpoint) => [endpoint.name, endpoint] as const))(
  '%s',
  (_name, endpoint) => {
    it('returns rows of the demo data for its own example', async () => {
      const runQuery = createQueryRunner(client, { timeoutMs: 20_000 });
      const result = await runQuery({
        query: bindExample(endpoint),
        columns: endpoint.columns,
        rowCap: rowCap(endpoint),
        requestId: 'contract',
        signal: new AbortController().signal,
      });
      const { result: rows } = JSON.parse(result.body.toString()) as { result: Record<string, unknown>[] };
      expect(rows.length).toBeGreaterThan(0);
      expect(rows).toHaveLength(result.rowCount);
      for (const row of rows) expect(Object.keys(row)).toEqual([...endpoint.columns.keys()]);
    });

    it('declares exactly the columns and types that ClickHouse describes', async () => {
      const { text, parameters } = bindExample(endpoint);
      const described = await client.query({
        query: `DESCRIBE (${text})`,
        query_params: parameters,
        format: 'JSONEachRow',
      });
      const columns = await described.json<{ name: string; type: string }>();
      expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual(
        [...endpoint.columns].map(([name, { type }]) => `${name} ${type}`),
      );
    });

    it('has no parameter value in its SQL, whatever the value', () => {
      const marker = 'Zq7-marker';
      const values = new Map(
        [...endpoint.parameters.keys()].map((name) => [name, `${marker}${name}`] as const),
      );
      const { text, parameters } = bindQuery(endpoint.query, values, new Set(), demo.now, 11);
      expect(text).not.toContain(marker);
      for (const name of Object.keys(parameters)) expect(text).toContain(`{${name}:`);
    });
  },
);
