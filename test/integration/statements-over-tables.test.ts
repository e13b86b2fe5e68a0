import fc from 'fast-check';

import { quoteName } from '../../src/endpoint/quote-sql.js';
import { readStatement } from '../../src/gateway/tables/read-statement.js';
import { anyTableSelect, COLUMNS, TABLES } from '../support/any-table-select.js';
import type { QueryClient } from '../../src/gateway/clickhouse/connect-clickhouse.js';
import { useAdminClient, useTestDatabase } from '../support/clickhouse.js';
import { textOfSelect } from '../support/example-statements.js';
import { tableNames } from '../support/table-names.js';

const RUNS = 125;

interface Answer {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly rows: readonly string[];
}

const database = useTestDatabase();
/** In a database without tables, so that a name that is not rewritten is an error. */
const client = useAdminClient();

beforeAll(async () => {
  const views = TABLES.map((table, index) => {
    const columns = [
      `number + ${index}`,
      `'n${index % 4}' || toString(number)`,
      '[number, number + 1]',
      `'e' || toString(number % 2)`,
      'number * 2',
    ].map((value, column) => `${value} AS ${quoteName(COLUMNS[column] ?? '')}`);
    return `CREATE VIEW ${quoteName(table)} AS SELECT ${columns.join(', ')} FROM numbers(4)`;
  });
  for (const query of [...views, 'CREATE VIEW ids AS SELECT number + 2 AS id FROM numbers(2)'])
    await database.client.command({ query });
});

/** The columns and rows of a query, or its error. */
async function answer(client: QueryClient, query: string): Promise<Answer | { readonly error: string }> {
  try {
    const result = await client.query({ query, query_params: { p: 7 }, format: 'JSONCompact' });
    const { meta = [], data } = await result.json<unknown[]>();
    return {
      // ClickHouse numbers subqueries; of joined columns with the same name it shows qualified names or not.
      names: /USING/i.test(query)
        ? []
        : meta.map(({ name }) => name.replaceAll(/_subquery_?\d+/g, '_subquery')),
      types: meta.map(({ type }) => type),
      rows: data.map((row) => JSON.stringify(row)).sort(),
    };
  } catch (error) {
    return { error: String(error) };
  }
}

function rewritten(sql: string): string {
  const names = tableNames(database.name, [...TABLES, 'ids']);
  const context = { user: 'u', database: database.name, isUsed: () => false };
  let statement;
  try {
    statement = readStatement(sql, names, context);
  } catch (error) {
    return String(error);
  }
  if (statement.kind !== 'select') throw new Error(`${sql} is no SELECT`);
  const parts = statement.reads.map(({ table, internal }) => {
    const [of = '', name = ''] = table.split('.');
    return `${internal} AS (SELECT * FROM ${quoteName(of)}.${quoteName(name)})`;
  });
  const { slot } = statement;
  const text = textOfSelect(statement);
  return slot === undefined ? text : text.replaceAll(slot, parts.join(', '));
}

describe('readStatement', () => {
  it.each([
    ['leaves the columns and rows of a SELECT as they are over tables of these names', false, 0.02],
    ['refuses a SELECT rather than change its rows, where the names of tables name other things', true, 0.5],
  ])('%s', async (_, isTricky, mostRefused) => {
    let [answered, refused] = [0, 0];
    for (const sql of fc.sample(anyTableSelect(database.name, isTricky), { numRuns: RUNS, seed: 1 })) {
      const expected = await answer(database.client, sql);
      if ('error' in expected) continue;
      const text = rewritten(sql);
      const actual = await answer(client, text);
      answered += 1;
      if ('error' in actual) {
        refused += 1;
        continue;
      }
      expect({ sql, text, ...actual, names: isTricky ? [] : actual.names }).toEqual({
        sql,
        text,
        ...expected,
        names: isTricky ? [] : expected.names,
      });
    }
    expect(answered).toBeGreaterThan(RUNS / 3);
    expect(refused / answered).toBeLessThan(mostRefused);
  });
});
