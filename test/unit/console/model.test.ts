import { fromFragment, toFragment } from '../../../console/src/model/address.js';
import { chartableOf, chartData } from '../../../console/src/model/chart-data.js';
import { bytes, duration, milliseconds } from '../../../console/src/model/display.js';
import { designedLimit, mostRows, type Column, type Row } from '../../../console/src/model/endpoint.js';
import { FAILED, quantile, readSamples, sum } from '../../../console/src/model/metrics.js';
import { nextOrder, sortRows } from '../../../console/src/model/sort-rows.js';
import { tokensOf } from '../../../console/src/model/sql-tokens.js';
import { rowCap, withSettings } from '../../../src/endpoint/endpoint.js';
import { EXPECTED_BY_CALLER, ERRORS } from '../../../src/errors.js';
import { referenceEndpoints } from '../../support/reference-project.js';

describe('an address', () => {
  it.each([
    [{ endpoint: '' }],
    [{ endpoint: 'logs.all' }],
    [{ endpoint: 'logs.all', values: {} }],
    [{ endpoint: 'a/b ?#é', values: { project: 'a&b=c #+%', empty: '', ü: 'line\nbreak' } }],
  ])('survives writing and reading: %j', (address) => {
    expect(fromFragment(toFragment(address))).toEqual(address);
  });

  it.each(['', '#', '#top', '#/%E0%A4'])(
    'is the endpoint list when the fragment is invalid: %j',
    (fragment) => {
      expect(fromFragment(fragment)).toEqual({ endpoint: '' });
    },
  );
});

const column = (name: string, type: string): Column => ({ name, type, description: '' });

describe('chart data', () => {
  const columns = [
    column('at', "DateTime('UTC')"),
    column('city', 'Nullable(String)'),
    column('hits', 'UInt64'),
  ];
  const row = (at: string, city: string | null, hits: number): Row => ({
    at: `2026-05-${at}T00:00:00Z`,
    city,
    hits,
  });
  const rows = [row('17', 'Bonn', 1), row('17', null, 2), row('18', 'Bonn', 4)];

  it('adds up rows of the same time, with a note', () => {
    const chartable = chartableOf(columns, rows);
    expect(chartable).toEqual({ time: 'at', numbers: ['hits'], splits: ['city'] });
    const data = chartable && chartData(rows, chartable, ['hits']);
    expect(data?.lines).toEqual([{ name: 'hits', values: [3, 4] }]);
    expect(data?.note).toContain('are added');
  });

  it('has a line for each value of the split column, with gaps for missing rows', () => {
    const chartable = chartableOf(columns, rows);
    expect(chartable && chartData(rows, chartable, ['hits'], 'city')).toMatchObject({
      lines: [
        { name: 'Bonn', values: [1, 4] },
        { name: 'null', values: [2, null] },
      ],
      note: '',
    });
  });

  it('notes that values are added where rows of one split value share a time', () => {
    const shared = [...rows, row('18', 'Bonn', 8)];
    const chartable = chartableOf(columns, shared);
    const data = chartable && chartData(shared, chartable, ['hits'], 'city');
    expect(data?.lines[0]).toEqual({ name: 'Bonn', values: [1, 12] });
    expect(data?.note).toBe('Values of rows with the same time are added.');
  });

  it('adds the values beyond the seventh in one line, and notes it', () => {
    const cities = Array.from({ length: 9 }, (_, index) => `city ${index}`);
    const many = cities.flatMap((city) => [row('17', city, 1), row('18', city, 2)]);
    const chartable = chartableOf(columns, many);
    const data = chartable && chartData(many, chartable, ['hits'], 'city');
    expect(data?.lines[7]).toEqual({ name: 'all others', values: [2, 4] });
    expect(data?.note).toBe('Values of rows with the same time are added in “all others”.');
  });

  it('counts rows when there is no numeric column', () => {
    const chartable = chartableOf(columns.slice(0, 2), rows);
    const data = chartable && chartData(rows, chartable, []);
    expect(data?.lines[0]?.values.reduce((total: number, value) => total + (value ?? 0), 0)).toBe(3);
  });

  it('is undefined without a time column, and with a single time', () => {
    expect(chartableOf(columns.slice(1), rows)).toBeUndefined();
    expect(chartableOf(columns, rows.slice(0, 2))).toBeUndefined();
  });
});

describe('the order of rows', () => {
  const rows: readonly Row[] = [{ n: 10 }, { n: null }, { n: 9 }];

  it('sorts by value, with nulls first when ascending', () => {
    expect(sortRows(rows, { column: 'n', direction: 'ascending' }).map(({ n }) => n)).toEqual([null, 9, 10]);
    expect(sortRows(rows, { column: 'n', direction: 'descending' }).map(({ n }) => n)).toEqual([10, 9, null]);
  });

  it('cycles through ascending, descending and the gateway’s order', () => {
    const first = nextOrder(undefined, 'n');
    const second = nextOrder(first, 'n');
    expect([first?.direction, second?.direction, nextOrder(second, 'n')]).toEqual([
      'ascending',
      'descending',
      undefined,
    ]);
  });
});

describe('highlighting', () => {
  it('splits SQL into tokens without losing text', () => {
    const sql = "SELECT 'it''s @no' AS a -- @no\nFROM t WHERE p = @project AND n >= 10";
    const tokens = tokensOf(sql);
    expect(tokens.map(({ text }) => text).join('')).toBe(sql);
    expect(tokens.filter(({ kind }) => kind === 'parameter').map(({ text }) => text)).toEqual(['@project']);
    expect(tokens.find(({ kind }) => kind === 'string')?.text).toBe("'it''s @no'");
  });
});

describe('quantities', () => {
  it('are formatted in a fitting unit', () => {
    expect([900, 86_400, 1000, 0].map(duration)).toEqual(['15 min', '1 d', '1000 s', '0 s']);
    expect([0.42, 12.34, 1234, 12_345].map(milliseconds)).toEqual([
      '0.4 ms',
      '12.3 ms',
      '1,234 ms',
      '12.3 s',
    ]);
    expect([0, 1023, 1536, 5 * 1024 ** 3].map(bytes)).toEqual(['0 B', '1,023 B', '1.5 KiB', '5 GiB']);
  });
});

describe('Prometheus’ text', () => {
  const samples = readSamples(
    [
      '# HELP r Requests.',
      'r{status="200",cache="HIT"} 3',
      'r{status="404",cache=""} 2',
      's_bucket{le="0.1",endpoint="a"} 5',
      's_bucket{le="1",endpoint="a"} 10',
      's_bucket{le="+Inf",endpoint="a"} 10',
      'plain 7',
    ].join('\n'),
  );

  it('is added up by labels', () => {
    expect([sum(samples, 'r'), sum(samples, 'r', { status: /^4/ }), sum(samples, 'plain')]).toEqual([
      5, 2, 7,
    ]);
  });

  it('yields the quantiles that Prometheus estimates', () => {
    expect(quantile(samples, 's', 'a', 0.5)).toBeCloseTo(0.1);
    expect(quantile(samples, 's', 'a', 0.75)).toBeCloseTo(0.55);
    expect(quantile(samples, 's', 'b', 0.5)).toBeUndefined();
  });
});

describe('mostRows', () => {
  it('returns the row cap of every endpoint', async () => {
    for (const endpoint of (await referenceEndpoints()).all()) {
      for (const maxRows of [10, 1000]) {
        const { limit } = endpoint;
        expect(mostRows({ maxRows, ...(limit !== undefined && { limit }) })).toBe(
          rowCap(withSettings(endpoint, { maxRows })),
        );
      }
    }
  });
});

describe('designedLimit', () => {
  it('returns the limit of the saved query, unless the row cap is lower and cuts results first', () => {
    expect(designedLimit({ maxRows: 1000, limit: 100 })).toBe(100);
    expect(designedLimit({ maxRows: 100, limit: 100 })).toBe(100);
    expect(designedLimit({ maxRows: 20, limit: 100 })).toBeUndefined();
    expect(designedLimit({ maxRows: 1000 })).toBeUndefined();
  });
});

describe('requests that the admin page counts as failed', () => {
  it.each(Object.entries(ERRORS))(
    'include %s where it is a 5xx that its caller did not request',
    (code, { status }) => {
      const labels = { endpoint: 'a', status: String(status), cache: '', code };
      expect(sum([{ name: 'requests', labels, value: 3 }], 'requests', FAILED)).toBe(
        status >= 500 && !EXPECTED_BY_CALLER.has(code) ? 3 : 0,
      );
    },
  );
});
