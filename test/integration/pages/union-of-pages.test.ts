import fc from 'fast-check';

import { column } from '../../../src/endpoint/definition.js';
import { defineEndpoint, type Endpoint } from '../../../src/endpoint/endpoint.js';
import { sql, type Sql } from '../../../src/endpoint/sql.js';
import { createQueryRunner } from '../../../src/gateway/clickhouse/query-runner.js';
import { Failure } from '../../../src/gateway/errors.js';
import type { FormatName } from '../../../src/gateway/formats/formats.js';
import { representationOf } from '../../../src/gateway/formats/representation.js';
import { bindCall, boundAt, type Page } from '../../../src/gateway/query/endpoint-query.js';
import type { QueryResult, RunQuery } from '../../../src/gateway/query/ports.js';
import { useTestDatabase } from '../../support/clickhouse.js';
import { readRows } from '../../support/read-formats.js';

/** Columns that can order pages, with few values as SQL: rows are often equal in them. */
const KEYS: Readonly<Record<string, readonly [type: string, ...values: readonly string[]]>> = {
  text: ['String', `''`, `'a'`, String.raw`'a\t\'\\\0z'`, String.raw`'\xFF\xC3'`, `'–'`],
  word: ['LowCardinality(Nullable(String))', 'NULL', `''`, `'-'`, `'é'`],
  whole: ['Nullable(Int32)', 'NULL', '0', '-1', '2147483647'],
  large: ['UInt256', '0', `'115792089237316195423570985008687907853269984665640564039457584007913129639935'`],
  price: ['Decimal(20, 8)', '0', `'0.00000001'`, `'-12345678901.5'`],
  moment: [
    `DateTime64(6, 'UTC')`,
    `'2026-01-01 00:00:00.000001'`,
    `'1969-12-31 23:59:59.999999'`,
    `'2026-01-01 00:00:00'`,
  ],
  precise: [
    `Nullable(DateTime64(9, 'Asia/Tokyo'))`,
    'NULL',
    `'2026-01-01 00:00:00.000000001'`,
    `'2026-01-01'`,
  ],
  // 01:30 in UTC and 00:30 in UTC: both are 02:30 in Paris.
  local: [`DateTime('Europe/Paris')`, '1792891800', '1792888200', '0'],
  day: ['Nullable(Date32)', 'NULL', `'1900-01-01'`, `'2026-01-01'`],
  uuid: ['UUID', `'00000000-0000-0000-0000-000000000001'`, `'ffffffff-ffff-ffff-0000-000000000000'`],
  level: [`Enum8('b' = 1, 'a''c' = 2, '' = 3)`, `'b'`, `'a''c'`, `''`],
  flag: ['Nullable(Bool)', 'NULL', 'true', 'false'],
  fixed: ['FixedString(3)', `'a'`, `'ab'`, String.raw`'\xFFb\0'`],
  address: ['IPv4', `'0.0.0.0'`, `'255.255.255.255'`],
  wide: ['Nullable(IPv6)', 'NULL', `'::'`, `'ffff::1'`],
};
const NAMES = Object.keys(KEYS);
const FORMATS = ['json', 'json-table', 'ndjson', 'csv', 'tsv'] as const satisfies readonly FormatName[];

/** A column of the order. */
interface By {
  readonly name: string;
  readonly direction: '' | 'asc' | 'desc';
  readonly nulls: '' | 'nulls first' | 'nulls last';
}

const aBy: fc.Arbitrary<By> = fc.record({
  name: fc.constantFrom(...NAMES),
  direction: fc.constantFrom('', 'asc', 'desc'),
  nulls: fc.constantFrom('', 'nulls first', 'nulls last'),
});

/** The indexes of the values of a row. */
const aRow = fc.array(fc.nat(100), { minLength: NAMES.length, maxLength: NAMES.length });

/** What happens between two pages. */
const aChange = fc.record({
  inserted: fc.array(aRow, { maxLength: 3 }),
  deleted: fc.array(fc.nat(30), { maxLength: 2 }),
});

const aCase = fc.record({
  by: fc.uniqueArray(aBy, { minLength: 1, maxLength: 3, selector: ({ name }) => name }),
  isUnique: fc.boolean(),
  lastDirection: fc.constantFrom('asc', 'desc'),
  rows: fc.array(aRow, { maxLength: 25 }),
  changes: fc.array(aChange, { maxLength: 8 }),
  caps: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
  formats: fc.array(fc.constantFrom(...FORMATS), { minLength: 1, maxLength: 4 }),
  isSortedByKey: fc.boolean(),
});
type Case = typeof aCase extends fc.Arbitrary<infer T> ? T : never;

const database = useTestDatabase();
let runQuery: RunQuery;
beforeAll(() => {
  runQuery = createQueryRunner(database.client, { timeoutMs: 20_000 });
});

let tables = 0;

/** A table of its own, of which rows come and go. */
class Rows {
  readonly table = `rows_${(tables += 1)}`;
  /** The numbers of the rows that exist. */
  readonly present = new Set<number>();
  private next = 0;

  async create(sortedBy: string): Promise<void> {
    const columns = NAMES.map((name) => `${name} ${KEYS[name]?.[0] ?? ''}`);
    await database.client.command({
      query: `CREATE TABLE ${this.table} (n UInt32, ${columns.join(', ')}) ENGINE = MergeTree ORDER BY ${sortedBy}
              SETTINGS index_granularity = 2, allow_nullable_key = 1`,
    });
  }

  async change({ inserted, deleted }: Case['changes'][number]): Promise<void> {
    const gone = deleted.filter((n) => this.present.delete(n));
    if (gone.length > 0)
      await database.client.command({ query: `DELETE FROM ${this.table} WHERE n IN (${gone.join()})` });
    if (inserted.length === 0) return;
    const rows = inserted.map((indexes) => {
      const n = this.next++;
      this.present.add(n);
      const values = NAMES.map((name, column) => {
        const [, ...choices] = KEYS[name] ?? [''];
        return choices[(indexes[column] ?? 0) % choices.length] ?? '';
      });
      return `(${[n, ...values].join(', ')})`;
    });
    await database.client.command({ query: `INSERT INTO ${this.table} VALUES ${rows.join(', ')}` });
  }
}

const text = (written: string): Sql => sql(Object.assign([written], { raw: [written] }));

function endpointOf({ table }: Rows, by: readonly string[], maxRows: number): Endpoint {
  const columns = Object.fromEntries(NAMES.map((name) => [name, column(KEYS[name]?.[0] ?? '', 'A key.')]));
  return defineEndpoint({
    id: '11111111-2222-4333-8444-555555555555',
    name: 'rows',
    summary: 'Rows.',
    parameters: {},
    columns: { n: column('UInt32', 'The number of the row.'), ...columns },
    ...({ maxRows, caching: 'disabled', warming: 0, sandboxing: 'disabled' } as const),
    example: {},
    pages: { by },
    build: () => sql`SELECT * FROM ${text(table)}`,
  });
}

/** Gets a page, as a call of the gateway does. */
async function fetchPage(
  endpoint: Endpoint,
  format: FormatName,
  page: Page | undefined,
): Promise<QueryResult> {
  const rowCap = endpoint.settings.maxRows;
  const query = { endpoint, values: new Map(), scope: '', ...(page && { page }) };
  return runQuery({
    query: boundAt(bindCall(query), new Date(), rowCap + 1),
    columns: endpoint.columns,
    page: endpoint.pages && { order: endpoint.pages.order, last: page?.last },
    // Numbers as text leave the order of the rows, and where a page ends, as they are.
    representation: representationOf(format, { numbers: page ? 'text' : 'plain' }),
    rowCap,
    requestId: 'pages-test',
    signal: new AbortController().signal,
  });
}

const cycled = <T>(items: readonly T[], index: number): T => items[index % items.length] as T;

/** Reads all pages while rows change, and checks that each row that existed throughout is in one of them. */
async function readPages({ by, isUnique, lastDirection, ...one }: Case): Promise<void> {
  const rows = new Rows();
  const order = by.map(({ name, direction, nulls }) => `${name} ${direction} ${nulls}`.trim());
  await rows.create(one.isSortedByKey ? `(${by.map(({ name }) => name).join(', ')})` : 'n');
  await rows.change({ inserted: one.rows, deleted: [] });
  const throughout = new Set(rows.present);
  const seen: number[] = [];
  let page: Page | undefined;
  for (let index = 0; index < 200; index += 1) {
    const cap = cycled(one.caps, index);
    const endpoint = endpointOf(rows, isUnique ? [...order, `n ${lastDirection}`] : order, cap);
    const format = cycled(one.formats, index);
    const result = await fetchPage(endpoint, format, page);
    const found = (await readRows(format, result.body)).map(({ n }) => Number(n));
    expect(found).toHaveLength(result.rowCount);
    seen.push(...found);
    expect(result.lastRow !== undefined).toBe(result.truncated);
    if (!result.lastRow) break;
    page = { last: result.lastRow, now: 0 };
    const change = one.changes[index];
    if (!change) continue;
    await rows.change(change);
    for (const n of change.deleted) throughout.delete(n);
  }
  expect(new Set(seen).size).toBe(seen.length);
  const missing = [...throughout].filter((n) => !seen.includes(n));
  expect(missing).toEqual([]);
  await database.client.command({ query: `DROP TABLE ${rows.table} SYNC` });
}

describe('the pages of a result', () => {
  it('have together each row that existed throughout, once, while others come and go', async () => {
    await fc.assert(
      fc.asyncProperty(aCase, async (one) => {
        try {
          await readPages(one);
        } catch (error) {
          // Rows that are equal where a page ends are an error, never a row that is left out.
          if (one.isUnique || !(error instanceof Failure) || error.code !== 'PAGES_NOT_UNIQUE') throw error;
        }
      }),
      { numRuns: 50 },
    );
  }, 120_000);
});
