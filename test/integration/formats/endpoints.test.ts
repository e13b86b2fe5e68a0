import { createQueryRunner } from '../../../src/gateway/clickhouse/query-runner.js';
import type { Endpoint } from '../../../src/endpoint/endpoint.js';
import { FORMATS, FORMAT_NAMES, type FormatName } from '../../../src/gateway/formats/formats.js';
import { useTestDatabase } from '../../support/clickhouse.js';
import { isUntyped, readRows, type Row } from '../../support/read-formats.js';
import { SHIPPED_ENDPOINTS } from '../../support/shipped-endpoints.js';
import { binary, createTestGateway, type TestGateway } from '../../support/test-gateway.js';
import { referenceEndpoints } from '../../support/reference-project.js';

const NOW = new Date();
const registry = await referenceEndpoints();
const endpoints = registry.all().filter(({ name }) => name in SHIPPED_ENDPOINTS);

const NUMBERS = Array.from({ length: 40 }, (_, n) => n);
const ago = (n: number): string => new Date(NOW.getTime() - n * 61_000).toISOString();
const REQUESTS = NUMBERS.map((n) => ({
  project: 'aurora',
  timestamp: ago(n),
  event_message: `line "${n}"`,
  metadata: { n, list: [n, null], half: n / 2 },
  url: `https://aurora.example/rest/v1?n=${n}`,
}));
const INVOCATIONS = NUMBERS.map((n) => ({
  project: 'aurora',
  timestamp: ago(n),
  status_code: n % 4 === 0 ? 500 : 200,
  // A bucket without durations has no aggregates of them either.
  execution_time_ms: n % 5 === 0 ? null : n * 1.37,
}));
const VIEWS = NUMBERS.map((n) => ({
  timestamp: ago(n * 60),
  event_type: n % 3 === 0 ? 'unique_view' : 'view',
  event_id: `${n % 7}`,
  event_name: n % 2 === 0 ? null : `event ${n}`,
  country: 'DE',
  city: n % 4 === 0 ? '' : 'Köln',
}));

const database = useTestDatabase();
let gateway: TestGateway;

beforeAll(async () => {
  await database.insert('edge_logs', REQUESTS);
  await database.insert('function_relay_logs', INVOCATIONS);
  await database.insert('custom_events', [
    ...VIEWS,
    {
      timestamp: NOW.toISOString(),
      event_type: 'url_redirect',
      event_name: '',
      country: 'DE',
      utm_params: null,
    },
    {
      timestamp: NOW.toISOString(),
      event_type: 'url_redirect',
      event_name: '=1+1,"x"\r\n\ty\\N',
      country: 'DE',
      utm_params: '{"utm_source":"é\\n😀"}',
    },
  ]);
  gateway = await createTestGateway({ clock: () => NOW });
  gateway.runQuery.respondWith(createQueryRunner(database.client, { timeoutMs: 20_000 }));
});

/** Normalizes values that formats write in different ways: parses JSON text. */
function comparable(endpoint: Endpoint, format: FormatName, rows: readonly Row[]): readonly Row[] {
  return rows.map((row) =>
    Object.fromEntries(
      [...endpoint.columns].map(([name, { type, holdsJson }]) => {
        const value = row[name];
        if (holdsJson && typeof value === 'string') return [name, JSON.parse(value)];
        const isNumber = /Float|Int|Date/.test(type);
        const number = isUntyped(format) && isNumber && value !== null ? Number(value) : value;
        return [name, number];
      }),
    ),
  );
}

describe.each(endpoints.map((endpoint) => [endpoint.name, endpoint] as const))('%s', (_name, endpoint) => {
  // Rare values of the demo data must be among the rows.
  const example = endpoint.name === 'get-grouped-stats-redirects' ? { country: 'DE' } : endpoint.example;

  const get = (parameters: Readonly<Record<string, string>>, prefer = ''): ReturnType<TestGateway['get']> =>
    gateway
      .get(
        `/api/endpoints/query/${endpoint.name}?${new URLSearchParams({ ...example, ...parameters }).toString()}`,
      )
      .set(prefer === '' ? {} : { Prefer: prefer })
      .buffer(true)
      .parse(binary);

  it.each(FORMAT_NAMES)('has the same rows as %s, for a third-party reader', async (format) => {
    const json = await get({}, 'timestamps=unix-micros');
    const response = await get({ format }, 'timestamps=unix-micros');
    expect([response.status, response.headers['content-type']]).toEqual([200, FORMATS[format].contentType]);
    const expected = comparable(endpoint, 'json', await readRows('json', json.body as Buffer));
    const rows = await readRows(format, response.body as Buffer);
    expect(rows.length).toBeGreaterThan(0);
    expect(Object.keys(rows[0] ?? {})).toEqual([...endpoint.columns.keys()]);
    expect(comparable(endpoint, format, rows)).toEqual(expected);
    for (const header of ['x-row-count', 'x-truncated']) {
      expect(response.headers[header]).toBe(json.headers[header]);
    }
  });

  it.each(FORMAT_NAMES.filter((format) => FORMATS[format].values !== 'typed'))(
    'has ISO times in %s',
    async (format) => {
      const [expected] = await readRows('json', (await get({})).body as Buffer);
      const [row] = await readRows(format, (await get({ format })).body as Buffer);
      const times = [...endpoint.columns].filter(([, { type }]) => type.startsWith('Date'));
      expect(times.length).toBeGreaterThan(0);
      for (const [name] of times) expect(row?.[name]).toBe(expected?.[name]);
    },
  );

  it('reports columns, types, rows and statistics in json-table', async () => {
    const response = await get({ format: 'json-table' });
    const { data, ...rest } = JSON.parse(String(response.body)) as Record<string, unknown>;
    expect(data).toHaveLength(Number(response.headers['x-row-count']));
    expect(rest).toEqual({
      meta: [...endpoint.columns].map(([name, { type }]) => ({ name, type })),
      rows: Number(response.headers['x-row-count']),
      truncated: response.headers['x-truncated'] === 'true',
      statistics: {
        elapsed: expect.any(Number) as number,
        rows_read: expect.any(Number) as number,
        bytes_read: expect.any(Number) as number,
      },
    });
  });
});
