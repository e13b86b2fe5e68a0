import { column } from '../../src/endpoint/definition.js';
import { defineEndpoint } from '../../src/endpoint/endpoint.js';
import { FORMATS, FORMAT_NAMES } from '../../src/gateway/formats/formats.js';
import { SAMPLE, sampleEndpoint } from '../support/sample-endpoint.js';
import { createTestGateway, problemOf, type TestGateway } from '../support/test-gateway.js';

const URL = '/api/endpoints/query/sample?city=Rome';

const open = (): Promise<TestGateway> => createTestGateway({ endpoints: [sampleEndpoint()] });

/** Representation and Content-Type of the response to a request. */
async function chosen(url: string, headers: Readonly<Record<string, string>> = {}): Promise<unknown> {
  const gateway = await open();
  const response = await gateway.get(url).set(headers);
  expect(response.status).toBe(200);
  const { representation } = gateway.runQuery.onlyRequest;
  expect(response.headers['content-type']).toBe(FORMATS[representation?.format ?? 'json'].contentType);
  return representation?.name;
}

describe('a column of a type that a format cannot hold', () => {
  const withColumns = (columns: Readonly<Record<string, string>>): Promise<TestGateway> => {
    const declared = Object.entries(columns).map(([name, type]) => [name, column(type, 'A value.')] as const);
    const endpoint = defineEndpoint({ ...SAMPLE, columns: Object.fromEntries(declared) });
    return createTestGateway({ endpoints: [endpoint] });
  };

  it.each(['csv', 'tsv', 'parquet', 'arrow'])(
    'returns 406 for %s, with its type and the formats that can, and sends no query',
    async (format) => {
      const gateway = await withColumns({ city: 'String', turn: 'Array(Quaternion(3))' });
      const problem = problemOf(await gateway.get(`${URL}&format=${format}`));
      expect(problem).toMatchObject({
        status: 406,
        code: 'NOT_ACCEPTABLE',
        detail: `${format} cannot hold column turn of type Array(Quaternion(3)). These formats can: json, json-table, ndjson.`,
      });
      expect(gateway.runQuery.requests).toEqual([]);
      expect((await gateway.get(URL)).status).toBe(200);
    },
  );

  it.each(FORMAT_NAMES)('returns 406 for %s where no format can', async (format) => {
    const gateway = await withColumns({ visitors: 'AggregateFunction(uniq, UInt64)' });
    const problem = problemOf(await gateway.get(`${URL}&format=${format}`));
    expect(problem).toMatchObject({ status: 406, code: 'NOT_ACCEPTABLE' });
    expect(problem.detail).toBe(
      `${format} cannot hold column visitors of type AggregateFunction(uniq, UInt64). No format can: the query must return a final value in its place.`,
    );
    expect(gateway.runQuery.requests).toEqual([]);
  });
});

describe('the representation of a result', () => {
  it.each(FORMAT_NAMES)('is the one that ?format= names: %s, whatever Accept says', async (format) => {
    expect(await chosen(`${URL}&format=${format}`)).toBe(format);
    expect(await chosen(`${URL}&format=${format}`, { Accept: 'text/html' })).toBe(format);
  });

  it.each(FORMAT_NAMES)('is the one that Accept names: %s', async (format) => {
    expect(await chosen(URL, { Accept: FORMATS[format].mediaType })).toBe(format);
    expect(await chosen(URL, { Accept: FORMATS[format].contentType })).toBe(format);
  });

  it.each([
    ['*/*', 'json'],
    ['', 'json'],
    ['application/*', 'json'],
    ['text/*', 'csv'],
    ['text/csv;q=0.5, application/x-ndjson', 'ndjson'],
    ['text/csv, */*;q=0.1', 'csv'],
    ['application/json;q=0.1, text/tab-separated-values;q=0.2', 'tsv'],
    ['application/json, text/plain, */*', 'json'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'json'],
    ['text/csv;q=0, */*', 'json'],
    ['text/csv; charset=utf-8', 'csv'],
    ['text/html, application/json;q=0.1', 'json'],
  ])('for Accept: %j is %s', async (accept, name) => {
    expect(await chosen(URL, { Accept: accept })).toBe(name);
  });

  it('is selected among up to 32 media types; more return 431', async () => {
    const list = (count: number): string => `${'a/b,'.repeat(count - 1)}text/csv`;
    expect(await chosen(URL, { Accept: list(32) })).toBe('csv');
    const { get } = await open();
    const problem = problemOf(await get(URL).set({ Accept: list(33) }));
    expect(problem).toMatchObject({ status: 431, code: 'HEADERS_TOO_LARGE' });
  });

  it.each(['application/xml', 'text/csv;header=absent', 'application/json;q=0', 'garbage'])(
    'does not exist for Accept: %j: 406 lists the available ones',
    async (accept) => {
      const gateway = await open();
      const problem = problemOf(await gateway.get(URL).set('Accept', accept));
      expect(problem).toMatchObject({ status: 406, code: 'NOT_ACCEPTABLE' });
      for (const format of FORMAT_NAMES)
        expect(problem.detail).toContain(`${format} (${FORMATS[format].mediaType})`);
      expect(gateway.runQuery.requests).toEqual([]);
    },
  );

  it('is the one that ?format= names in either letter case', async () => {
    expect(await chosen(`${URL}&format=CSV&csv_safe=TRUE`)).toBe('csv;formula-safe');
  });

  it.each([
    ['format=xml', 'format', `must be one of ${FORMAT_NAMES.join(', ')}, prometheus`],
    ['format=', 'format', `must be one of ${FORMAT_NAMES.join(', ')}, prometheus`],
    ['format=%ff', 'format', 'is not valid percent-encoded UTF-8'],
    ['format=csv&format=csv', 'format', 'is given 2 times; it may be given once'],
    ['download=1&download=1', 'download', 'is given 2 times; it may be given once'],
    ['download=yes', 'download', 'must be 1, 0, true or false'],
    ['complete=yes', 'complete', 'must be 1, 0, true or false'],
    ['complete=1&complete=1', 'complete', 'is given 2 times; it may be given once'],
    ['format=csv&csv_safe=x', 'csv_safe', 'must be 1, 0, true or false'],
  ])('%s returns 400', async (query, param, problem) => {
    const gateway = await open();
    const document = problemOf(await gateway.get(`${URL}&${query}`));
    expect(document).toMatchObject({ status: 400, problems: [{ param, problem }] });
  });

  it('is reported together with the other invalid parameters', async () => {
    const gateway = await open();
    const url = '/api/endpoints/query/sample?city=Rome&city=Oslo&format=xml&download=yes&csv_safe=no';
    const problem = problemOf(await gateway.get(url).set('Accept', 'application/xml'));
    expect(problem).toMatchObject({ status: 400, code: 'INVALID_PARAMETERS' });
    expect(problem.problems?.map(({ param }) => param)).toEqual(['city', 'format', 'csv_safe', 'download']);
    expect(gateway.runQuery.requests).toEqual([]);
  });

  it('is part of the cache key', async () => {
    const gateway = await open();
    const urls = ['', '&format=csv', '&format=csv&csv_safe=1', '&format=parquet', '&format=arrow&csv_safe=1'];
    for (const url of urls) expect((await gateway.get(URL + url)).headers['x-cache']).toBe('MISS');
    for (const url of urls) expect((await gateway.get(URL + url)).headers['x-cache']).toBe('HIT');
    const csv = await gateway.get(URL).set('Accept', 'text/csv');
    expect([csv.headers['x-cache'], csv.headers['content-type']]).toEqual(['HIT', FORMATS.csv.contentType]);
    expect((await gateway.get(`${URL}&format=json&csv_safe=1`)).headers['x-cache']).toBe('HIT');
  });

  it.each([
    ['csv', true],
    ['arrow', true],
    ['parquet', false],
  ])('is compressed if that saves enough: %s', async (format, compressed) => {
    const gateway = await open();
    gateway.runQuery.returnRows(Array.from({ length: 500 }, (_, row) => ({ row })));
    const response = await gateway.get(`${URL}&format=${format}`).set('Accept-Encoding', 'gzip').buffer(true);
    expect(response.headers['content-encoding']).toBe(compressed ? 'gzip' : undefined);
  });
});

describe('?download=1', () => {
  it.each(FORMAT_NAMES)('sets a file name of endpoint and time: %s', async (format) => {
    const gateway = await open();
    for (const status of ['MISS', 'HIT']) {
      const { headers } = await gateway.get(`${URL}&format=${format}&download=1`);
      expect(headers['x-cache']).toBe(status);
      expect(headers['content-disposition']).toBe(
        `attachment; filename="sample-20260517T100503Z.${FORMATS[format].extension}"`,
      );
    }
    expect((await gateway.get(`${URL}&format=${format}&download=0`)).headers).not.toHaveProperty(
      'content-disposition',
    );
  });
});

describe('Prefer: timestamps=unix-micros', () => {
  it('is applied, and confirmed together with another preference', async () => {
    const gateway = await open();
    const response = await gateway.get(URL).set('Prefer', 'wait=9, timestamps=unix-micros');
    expect(response.headers).toMatchObject({
      'preference-applied': 'wait=9, timestamps=unix-micros',
      vary: 'Accept, Accept-Encoding, X-API-KEY, Authorization, Prefer',
    });
    expect(gateway.runQuery.onlyRequest.representation?.name).toBe('json;unix-micros');
    expect((await gateway.get(URL)).headers['x-cache']).toBe('MISS');
  });

  it.each([
    [`${URL}&format=parquet`, 'timestamps=unix-micros'],
    [URL, 'timestamps=seconds'],
  ])('is ignored if it makes no difference: %s with %s', async (url, prefer) => {
    const gateway = await open();
    const { headers } = await gateway.get(url).set('Prefer', prefer);
    expect(headers).not.toHaveProperty('preference-applied');
    expect(gateway.runQuery.onlyRequest.representation?.times).toBe('iso');
  });

  it('is the default if the gateway is configured so; ISO 8601 is then the preference', async () => {
    const gateway = await createTestGateway({ endpoints: [sampleEndpoint()], times: 'unix-micros' });
    await gateway.get(URL);
    const { headers } = await gateway.get(URL).set('Prefer', 'timestamps=iso');
    expect(headers['preference-applied']).toBe('timestamps=iso');
    expect(gateway.runQuery.requests.map(({ representation }) => representation?.name)).toEqual([
      'json;unix-micros',
      'json',
    ]);
    expect((await gateway.get(URL)).headers['x-cache']).toBe('HIT');
  });
});
