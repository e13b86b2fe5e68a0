import { column } from '../../../src/endpoint/definition.js';
import { prometheus } from '../../../src/gateway/formats/prometheus.js';
import type { QueryResult } from '../../../src/gateway/query/ports.js';
import { useFormatQueries } from '../../support/fetch-format.js';
import { failureOf } from '../../support/query-requests.js';
import { readRows } from '../../support/read-formats.js';
import { TYPE_SAMPLES } from '../../support/sample-types.js';
import { PLACES, placesOf } from '../../support/type-places.js';

const { fetchFormat, ownBytes, queryRows } = useFormatQueries();

const { alone = String, nullable = String, aggregate = String } = PLACES;

const fetched = (query: string, rowCap = 100_000): Promise<QueryResult> =>
  fetchFormat('prometheus', query, { columns: 'unknown', rowCap });

const failing = async (query: string): Promise<readonly [unknown, string]> => {
  const { code, message } = await failureOf(fetched(query));
  return [code, message];
};

const HISTOGRAM = `SELECT 'took_seconds' AS name, value, 'How "long"\\n\\\\ it took' AS help, 'histogram' AS type, labels, 0 AS timestamp
FROM values('value Float64, labels Map(String, String)', (4, map('count', '')), (3, map('le', '0.5')), (1.5, map('sum', '')), (1, map('le', '0.1')))`;

describe('prometheus', () => {
  it.each([
    [`SELECT 'up' AS name, 1 AS value`, 1],
    [`SELECT 'up' AS name, arrayJoin([nan, inf, -inf, 1e300, -0.1]) AS value, now() AS other`, 5],
    [
      `SELECT 'n' AS name, 18446744073709551615 AS value, NULL::Nullable(String) AS help, ''::Nullable(String) AS type`,
      1,
    ],
    [`SELECT 'price' AS name, 1.50::Decimal(38, 2) AS value, 'gauge' AS type, 1395066363000 AS timestamp`, 1],
    [`SELECT 'b' AS name, 2 AS value, map('path', 'a"b\\\\c\\nd', 'é', '') AS labels WHERE 0`, 0],
    [`SELECT 'b' AS name, 2 AS value, map('path', 'a"b\\\\c\\nd \\u00e9 2\\n') AS labels`, 1],
    [
      `SELECT concat('m', toString(intDiv(number, 3))) AS name, number AS value FROM numbers(70000) ORDER BY number`,
      70_000,
    ],
    [
      `SELECT ':a:b_1' AS name, 2 AS value, map('_l', 'x', 'quantile', '0.5') AS labels, 'summary' AS type`,
      1,
    ],
    [HISTOGRAM, 4],
  ])('has the bytes that ClickHouse writes: %s', async (query, rows) => {
    const { body, rowCount, truncated } = await fetched(query);
    expect(body.toString()).toBe((await ownBytes(`${query} FORMAT Prometheus`)).toString());
    expect([rowCount, truncated]).toEqual([rows, false]);
    const samples = await readRows('prometheus', body);
    // Of a histogram ClickHouse adds the bucket that has all.
    expect(samples).toHaveLength(rows + (query === HISTOGRAM ? 1 : 0));
  });

  it('has the columns of an endpoint', async () => {
    const columns = new Map([
      ['value', column('UInt64', '')],
      ['city', column('String', '')],
      ['name', column('String', '')],
    ]);
    const { body } = await fetchFormat(
      'prometheus',
      `SELECT 1::UInt64 AS value, 'Rome' AS city, 'up' AS name`,
      { columns },
    );
    expect(body.toString()).toBe('up 1\n\n');
  });

  it('writes columns of LowCardinality, which ClickHouse’s format rejects, as those without', async () => {
    const types = ['LowCardinality(String)', 'Map(LowCardinality(String), LowCardinality(String))'] as const;
    const [text, labels] = types;
    const { body } = await fetched(
      `SELECT 'up'::${text} AS name, 1 AS value, NULL::LowCardinality(Nullable(String)) AS help, map('shop', 'a')::${labels} AS labels`,
    );
    expect(body.toString()).toBe('up{shop="a"} 1\n\n');
  });

  it('has as many rows as the cap allows, the first of the order', async () => {
    const query = `SELECT 'n' AS name, number AS value FROM numbers(5) ORDER BY number DESC`;
    const { body, rowCount, truncated } = await fetched(query, 3);
    expect([body.toString(), rowCount, truncated]).toEqual(['n 4\nn 3\nn 2\n\n', 3, true]);
    expect((await fetched(query, 5)).truncated).toBe(false);
  });

  it.each([
    [`SELECT 'bad-name' AS name, 1 AS value`, 'name of a metric', '"bad-name"'],
    [`SELECT '' AS name, 1 AS value`, 'name of a metric', '""'],
    [`SELECT 'a 1\\nb' AS name, 1 AS value`, 'name of a metric', String.raw`"a 1\nb"`],
    [`SELECT if(number = 3, 'é', 'up') AS name, number AS value FROM numbers(5)`, 'name of a metric', '"é"'],
    [
      `SELECT 'up' AS name, 1 AS value, map('good', '1', 'b"ad', '2') AS labels`,
      'name of a label',
      String.raw`"b\"ad"`,
    ],
    [`SELECT 'up' AS name, 1 AS value, 'gauge\\nx 1' AS type`, 'type of a metric', String.raw`"gauge\nx 1"`],
  ])('is 406 with what Prometheus would reject: %s', async (query, what, shown) => {
    const [code, message] = await failing(query);
    expect(code).toBe('NOT_ACCEPTABLE');
    expect(message).toContain(`each ${what} to match `);
    expect(message).toContain(`, which ${shown} does not`);
  });

  it.each([
    ['SELECT 1 AS value', 'a column name, String, which the result does not have'],
    [`SELECT 'up' AS name`, 'a column value, a number, which the result does not have'],
    [
      `SELECT 'up' AS name, 1 AS value, [1] AS labels`,
      'column labels to be Map(String, String), not Array(UInt8)',
    ],
    [`SELECT 'up' AS name, true AS value`, 'column value to be a number, not Bool'],
  ])('is 406 for other columns: %s', async (query, needs) => {
    expect(await failing(query)).toEqual(['NOT_ACCEPTABLE', `prometheus needs ${needs}.`]);
  });

  it.each(['name', 'value', 'help', 'type', 'labels', 'timestamp'])(
    'accepts for column %s the types that ClickHouse’s format does, but those that it writes as no such value',
    async (name) => {
      const samples = [...Object.values(TYPE_SAMPLES).flat(), ['Map(String, String)', ['map()']] as const];
      const differing = new Set<string>();
      let accepted = 0;
      for (const sample of samples) {
        const [type, [value = '']] = sample;
        for (const [place, ofPlace] of await placesOf(sample, queryRows, { alone, nullable, aggregate })) {
          const columns = { name: `'up'`, value: '1', [name]: PLACES[place]?.(value, type) ?? '' };
          const query = `SELECT ${Object.entries(columns)
            .map(([of, sql]) => `${sql} AS ${of}`)
            .join(', ')}`;
          const types = { name: 'String', value: 'UInt8', [name]: ofPlace };
          const problem = prometheus.problemOf(
            Object.entries(types).map(([of, ofColumn]) => ({ name: of, type: ofColumn })),
          );
          const isOfClickHouse = await ownBytes(`${query} FORMAT Prometheus`).then(
            () => true,
            () => false,
          );
          if (isOfClickHouse !== (problem === undefined)) differing.add(type);
          if (problem !== undefined) continue;
          await fetched(query).catch((error: unknown) => {
            expect(`${query}: ${String(error)}`).toContain(' to match ');
          });
          accepted += 1;
        }
      }
      expect(accepted).toBeGreaterThan(0);
      // LowCardinality is accepted beyond that; the others: with zero bytes, as the words true and false, and times with a fraction, of which it rejects some.
      expect(
        [...differing].filter(
          (type) =>
            !(name === 'timestamp' ? /Bool|Decimal|Float/ : /FixedString|Bool|LowCardinality/).test(type),
        ),
      ).toEqual([]);
    },
  );
});

describe('a text of prometheus', () => {
  const body = Buffer.from('# TYPE up gauge\nup 1\n\nmarkx 0\n\n');

  it('is complete with its last row alone', () => {
    expect(prometheus.unmark(body, 'markx')?.toString()).toBe('# TYPE up gauge\nup 1\n\n');
    for (let length = 0; length < body.length; length += 1)
      expect(prometheus.unmark(body.subarray(0, length), 'markx')).toBeUndefined();
  });
});
