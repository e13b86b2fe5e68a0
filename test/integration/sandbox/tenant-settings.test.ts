import fc from 'fast-check';

import { Reference } from '../../../src/endpoint/sql.js';
import { tenantConditions, tenantSettings } from '../../../src/endpoint/tenant-settings.js';
import { anyText } from '../../support/any-text.js';
import { useTestDatabase } from '../../support/clickhouse.js';

const database = useTestDatabase();

/** The values of a column that a table has for a caller whose key pins its parameter to the text. */
async function readWith(pinned: string, type: string): Promise<readonly string[]> {
  const tenant = [{ table: 'tenants', column: 'value', reference: new Reference('value', type) }];
  const result = await database.client.query({
    query: 'SELECT toString(value) FROM tenants ORDER BY value',
    format: 'JSONCompactEachRow',
    clickhouse_settings: tenantSettings(
      tenantConditions(tenant, new Map([['value', pinned]]), new Set(['value'])),
    ),
  });
  return (await result.json<readonly [string]>()).map(([value]) => value);
}

const createTable = async (type: string, values: readonly string[]): Promise<void> => {
  await database.client.command({
    query: `CREATE OR REPLACE TABLE tenants (value ${type}) ENGINE = MergeTree ORDER BY value`,
  });
  const rows = values.map((value) => [value]);
  await database.client.insert({ table: 'tenants', values: rows, format: 'JSONCompactStringsEachRow' });
};

it.each([
  ['Int64', ['-7', '8']],
  ['UUID', ['61f0c404-5cb3-11e7-907b-a6006ad3dba0', '71f0c404-5cb3-11e7-907b-a6006ad3dba0']],
  ["DateTime64(6, 'UTC')", ['2096-03-01 12:00:00.123456', '2096-03-01 12:00:00.123457']],
  ['Date32', ['2096-03-01', '2096-03-02']],
  ['Bool', ['false', 'true']],
  ['Decimal(38, 9)', ['0.1', '12345678901234567.123456789']],
  ['Float64', ['0.1', '0.25']],
])('filters a column of %s by the value as it is bound', async (type, values) => {
  await createTable(type, values);
  for (const value of values) expect(await readWith(value, type)).toEqual([value]);
});

it('filters by any text, and only by it', async () => {
  const texts = fc.sample(anyText(), { numRuns: 60, seed: 20_960_304 });
  const all = [
    ...new Set(["'", '\\', "\\'", "' OR 1=1 --", "x'} , 'y':'true", '\n\t', '`', '{p:String}', ...texts]),
  ];
  await createTable('String', all);
  for (const text of all) expect(await readWith(text, 'String')).toEqual([text]);
});
