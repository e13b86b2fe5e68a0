import { bindQuery, revealedParameters } from '../../../src/endpoint/bind.js';
import { column } from '../../../src/endpoint/definition.js';
import { defineEndpoint } from '../../../src/endpoint/endpoint.js';
import { sql } from '../../../src/endpoint/sql.js';
import { parametersAfter } from '../../../src/endpoint/after-last-row.js';
import { useTestDatabase } from '../../support/clickhouse.js';
import { PagingGateway, cursorOf } from '../../support/paging-gateway.js';

const EVENTS = defineEndpoint({
  id: '11111111-2222-4333-8444-555555555555',
  name: 'events',
  summary: 'Events.',
  parameters: {},
  columns: { at: column("DateTime64(3, 'UTC')", 'A time.'), id: column('UInt64', 'A number.') },
  maxRows: 100,
  caching: 'disabled',
  warming: 0,
  sandboxing: 'disabled',
  example: {},
  pages: { by: ['at desc', 'id'] },
  build: () => sql`SELECT at, id FROM events WHERE tenant = 'a'`,
});

const database = useTestDatabase();
beforeAll(async () => {
  await database.client.command({
    query: `CREATE TABLE events (tenant String, at DateTime64(3, 'UTC'), id UInt64) ENGINE = MergeTree
            PARTITION BY toDate(at) ORDER BY (tenant, at) SETTINGS index_granularity = 1024`,
  });
  // Twenty days of 50,000 events.
  await database.client.command({
    query: `INSERT INTO events SELECT 'a', toDateTime64('2026-01-01 00:00:00', 3, 'UTC') + toIntervalMillisecond(number * 1728), number
            FROM numbers(1000000)`,
  });
});

/** What ClickHouse does for the page after an event of this time. */
async function run(kind: string, at?: string): Promise<string> {
  const { pages, query } = EVENTS;
  const last = at === undefined ? [] : [Buffer.from(at).toString('hex'), Buffer.from('0').toString('hex')];
  const after = pages && at !== undefined ? parametersAfter(pages.order, last) : [];
  const bound = bindQuery(pages?.query ?? query, new Map(after), new Set(), new Date(0), 101);
  const result = await database.client.query({
    query: `${kind} ${bound.text}`,
    query_params: revealedParameters(bound),
    // Further threads would read on until the LIMIT stops them.
    clickhouse_settings: { ...bound.settings, max_threads: 1 },
    format: 'JSON',
  });
  return result.text();
}

describe('a late page', () => {
  it('skips the parts that are later than its first row, by the bound of the first column', async () => {
    const partsOf = async (at?: string): Promise<string | undefined> =>
      /Parts: (\d+\/\d+)/.exec((await run('EXPLAIN indexes = 1', at)).replaceAll('\\', ''))?.[1];
    expect([await partsOf(), await partsOf('2026-01-06 00:00:00.000')]).toEqual(['20/20', '6/20']);
  });

  it('reads as few rows as the first', async () => {
    const rowsRead = async (at?: string): Promise<number> =>
      (JSON.parse(await run('', at)) as { statistics: { rows_read: number } }).statistics.rows_read;
    const [first, late] = [await rowsRead(), await rowsRead('2026-01-06 00:00:00.000')];
    expect(first).toBeLessThan(200_000);
    expect(late).toBeLessThan(1.5 * first);
  });
});

it('warms first pages only', async () => {
  await PagingGateway.use({
    files: PagingGateway.fileOf('others', 'maxRows: 10', 'maxRows: 10\nwarming: 30'),
    test: async (paging) => {
      const first = await paging.receive('others?n=25');
      await paging.receive(`others?n=25&cursor=${cursorOf(first) ?? ''}`);
      const response = await fetch(`${paging.gateway.adminUrl ?? ''}/warming`);
      const { sets } = (await response.json()) as {
        readonly sets: readonly { readonly parameters: object }[];
      };
      expect(sets.map(({ parameters }) => parameters)).toEqual([{ n: '25' }]);
    },
  });
});
