import { bindSandboxedQuery } from '../../../src/endpoint/bind-sandboxed.js';
import { column } from '../../../src/endpoint/definition.js';
import { defineEndpoint, type Endpoint } from '../../../src/endpoint/endpoint.js';
import { text } from '../../../src/endpoint/index.js';
import { part, sql, withParts } from '../../../src/endpoint/sql.js';
import { keyOf } from '../../../src/gateway/query/cache-key.js';
import { SAMPLE } from '../../support/sample-endpoint.js';

/** The barrier as the builder writes it. */
const BARRIER = 'LIMIT 1000000000000';

const endpoint = (limit?: number): Endpoint =>
  defineEndpoint({
    ...SAMPLE,
    parameters: { city: text({ description: 'A city.' }) },
    columns: { city: column('String', 'The city.') },
    ...(limit !== undefined && { limit }),
    build: ({ city }) => {
      const one = part('one', sql`SELECT ${city} AS city`);
      const other = part('other', sql`SELECT city FROM ${one}`);
      const union = part('union', sql`SELECT 'a' AS city UNION ALL SELECT 'b'`);
      return withParts([one, other, union], sql`SELECT city FROM ${one} ORDER BY city`);
    },
  });

const VALUES = new Map([['city', 'Rome']]);
const bind = (reads: readonly string[], limit?: number): string =>
  bindSandboxedQuery(endpoint(limit), { text: 'SELECT 1', reads }, VALUES, new Set(), new Date(0), 11).text;

it('writes only the parts that the SELECT reads, with the parts that they read nested inside', () => {
  expect(bind([])).toBe('SELECT * FROM (SELECT 1)\nLIMIT {row_limit:UInt64}');
  expect(bind(['other'])).toBe(`WITH
  other AS (
    SELECT * FROM (
    SELECT * FROM (
      WITH
        one AS (
          SELECT {city:String} AS city
        )
      SELECT city FROM one
    ) SETTINGS enable_global_with_statement = 1
    )
    LIMIT 1000000000000 SETTINGS enable_global_with_statement = 0
  )
SELECT * FROM (SELECT 1)
LIMIT {row_limit:UInt64}`);
  expect(bind(['result'])).not.toContain('other AS');
});

it('puts the barrier after each part that the SELECT reads, and after the whole of a UNION', () => {
  expect(bind(['one', 'other', 'result']).split(BARRIER)).toHaveLength(4);
  expect(bind(['union'])).toMatch(
    /\(\s+SELECT 'a' AS city\s+UNION ALL\s+SELECT 'b'\s+\) SETTINGS \w+ = 1\s+\)\s+LIMIT 1000000000000\s/,
  );
});

it('applies the endpoint’s own limit to the result, if the endpoint has one', () => {
  expect(bind(['result'], 5)).toMatch(
    /ORDER BY city\s+LIMIT 5\s+\) SETTINGS .*\s+\) AS \w+\s+WHERE .*\s+LIMIT 1000000000000 SETTINGS .*\s+\)/,
  );
  expect(bind(['result'])).toMatch(
    /ORDER BY city\s+\) SETTINGS .*\s+\) AS \w+\s+WHERE .*\s+LIMIT 1000000000000 SETTINGS .*\s+\)/,
  );
});

it('gives different SELECTs different cache keys', () => {
  const key = (select?: string): string =>
    keyOf({
      endpoint: endpoint(),
      values: VALUES,
      scope: '',
      ...(select !== undefined && { sandbox: { text: select, reads: ['result'] } }),
    }).hash;
  expect(new Set([key(), key('SELECT 1'), key('SELECT 2')]).size).toBe(3);
  expect(key('SELECT 1')).toBe(key('SELECT 1'));
});
