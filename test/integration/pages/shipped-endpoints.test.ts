import { writeFile } from 'node:fs/promises';
import path from 'node:path';

import { bindQuery } from '../../../src/endpoint/bind.js';
import { createQueryRunner } from '../../../src/gateway/clickhouse/query-runner.js';
import { representationOf } from '../../../src/gateway/formats/representation.js';
import { validateParameters } from '../../../src/gateway/query/validate-parameters.js';
import { connectClickHouse } from '../../../src/gateway/clickhouse/connect-clickhouse.js';
import { demoDatabase, variablesOf } from '../../support/demo-database.js';
import { ListeningGateway } from '../../support/listening-gateway.js';
import { openForAll } from '../../support/opened.js';
import { rawParameters } from '../../support/raw-parameters.js';
import { referenceEndpoints } from '../../support/reference-project.js';
import { makeTemporaryFolder } from '../../support/temporary-folder.js';

type Row = Readonly<Record<string, unknown>>;

const FORMATS = ['json', 'json-table', 'ndjson', 'csv', 'tsv'] as const;

const folder = openForAll(makeTemporaryFolder);
const gateway = openForAll(async () => {
  const settings = path.join(folder.path, 'settings.json');
  await writeFile(settings, JSON.stringify({ 'get-grouped-stats-redirects': { maxRows: 100 } }));
  const { connection } = await demoDatabase();
  return ListeningGateway.listen({
    environment: { ...variablesOf(connection), API_KEY: 'a', ENDPOINT_SETTINGS_FILE: settings },
  });
});

/** The rows of all pages, and how many there are. */
async function readPages(call: string): Promise<{ readonly rows: readonly Row[]; readonly pages: number }> {
  const rows: Row[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null;) {
    const response: Response = await fetch(
      `${gateway.url}/api/endpoints/query/${call}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      { headers: { 'X-API-KEY': 'a' } },
    );
    expect(response.status).toBe(200);
    rows.push(...((await response.json()) as { readonly result: readonly Row[] }).result);
    cursor = response.headers.get('x-next-cursor');
    pages += 1;
  }
  return { rows, pages };
}

it.each(['logs.all', 'get-grouped-stats-redirects'])(
  '%s has the first page that its query has without pages',
  async (name) => {
    const { connection } = await demoDatabase();
    const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 20_000 });
    const runQuery = createQueryRunner(client, { timeoutMs: 20_000 });
    const endpoint = (await referenceEndpoints()).find(name);
    if (!endpoint) throw new Error(`no endpoint ${name}`);
    const { query, columns, pages } = endpoint;
    try {
      for (const [index, format] of FORMATS.entries()) {
        const rowCap = [3, 100, 5000][index % 3] ?? 3;
        const values = validateParameters(
          endpoint,
          rawParameters(name === 'logs.all' ? endpoint.example : {}),
        );
        const now = new Date();
        const [whole, page] = await Promise.all(
          [query, pages?.query ?? query].map((of, at) =>
            runQuery({
              query: bindQuery(of, values, new Set(), now, rowCap + 1),
              columns,
              rowCap,
              representation: representationOf(format),
              page: at === 0 ? undefined : pages && { order: pages.order },
              requestId: 'pages-test',
              signal: new AbortController().signal,
            }),
          ),
        );
        expect(page?.body.toString()).toBe(whole?.body.toString());
        expect(page?.lastRow !== undefined).toBe(whole?.truncated);
      }
    } finally {
      await client.close();
    }
  },
);

it('logs.all has all records of the retention in its pages, newest first', async () => {
  const start = new Date(Date.now() - 3 * 3_600_000).toISOString();
  const { rows, pages } = await readPages(
    `logs.all?project=aurora&project_tier=PRO&iso_timestamp_start=${start}`,
  );
  const { connection } = await demoDatabase();
  const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 20_000 });
  try {
    const oldest = String(rows.at(-1)?.['timestamp']).slice(0, 23).replace('T', ' ');
    const result = await client.query({
      query: `SELECT toString(id) AS id FROM edge_logs WHERE project = 'aurora' AND timestamp >= {oldest:DateTime64(3, 'UTC')}
              ORDER BY timestamp DESC, id`,
      query_params: { oldest },
      format: 'JSONEachRow',
    });
    const ids = (await result.json<{ readonly id: string }>()).map(({ id }) => id);
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(pages).toBe(Math.ceil(ids.length / 100));
    expect(pages).toBeGreaterThan(2);
  } finally {
    await client.close();
  }
});

it.each(['', 'country=DE', 'start_time=2020-01-01T03:00:00Z&end_time=2100-01-01T00:00:00Z'])(
  'get-grouped-stats-redirects has the same rows in pages as at once, with %j',
  async (parameters) => {
    const { rows, pages } = await readPages(`get-grouped-stats-redirects?${parameters}`);
    const keys = rows.map((row) => JSON.stringify(row));
    expect(new Set(keys).size).toBe(keys.length);
    expect(pages).toBe(Math.ceil(rows.length / 100));
    expect(pages).toBeGreaterThan(1);
    const hits = rows.reduce((sum, { total_hits: total }) => sum + Number(total), 0);
    const { connection } = await demoDatabase();
    const client = connectClickHouse(connection, { maxOpenConnections: 1, requestTimeoutMs: 20_000 });
    try {
      const country = parameters.startsWith('country') ? `AND country = 'DE'` : '';
      const counted = await client.query({
        query: `SELECT toUInt32(count()) AS n FROM custom_events WHERE event_type = 'url_redirect' ${country}`,
        format: 'JSONEachRow',
      });
      expect([{ n: hits }]).toEqual(await counted.json());
    } finally {
      await client.close();
    }
  },
);
