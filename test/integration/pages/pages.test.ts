import type { FormatName } from '../../../src/gateway/formats/formats.js';
import type { Received, ReceiveOptions } from '../../support/listening-gateway.js';
import { cursorOf, KEYS, PagingGateway, problemIn } from '../../support/paging-gateway.js';
import { exchange } from '../../support/raw-exchange.js';
import { readRows } from '../../support/read-formats.js';
import { openForAll } from '../../support/opened.js';

const paging = openForAll(() => PagingGateway.open());

const numbersIn = async ({ body }: Received, format: FormatName = 'json'): Promise<readonly number[]> =>
  (await readRows(format, body)).map(({ n }) => Number(n));

/** All pages of a call, by its cursors. */
async function pagesOf(call: string, options: ReceiveOptions = {}): Promise<readonly Received[]> {
  const first = await paging.receive(call, options);
  const pages = [first];
  for (let cursor = cursorOf(first); cursor !== undefined;) {
    const page = await paging.receive(`${call}&cursor=${cursor}`, options);
    pages.push(page);
    cursor = cursorOf(page);
  }
  return pages;
}

const NUMBERS = (count: number): readonly number[] => Array.from({ length: count }, (_each, n) => n);

describe('the pages of a call', () => {
  it.each(['json', 'json-table', 'ndjson', 'csv', 'tsv'] as const)(
    'have all rows once, in their order, as %s',
    async (format) => {
      const pages = await pagesOf(`rows?n=95&format=${format}`);
      const rows = (await Promise.all(pages.map((page) => numbersIn(page, format)))).flat();
      expect(pages.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
      expect(pages.map(({ headers }) => headers['x-row-count'])).toEqual([
        ...Array<string>(9).fill('10'),
        '5',
      ]);
      const whole = await paging.receive(`rows?n=95&format=${format}&export=1`);
      expect([...rows].sort((a, b) => a - b)).toEqual(NUMBERS(95));
      const seconds = rows.map((n) => n % 4);
      expect(seconds).toEqual([...seconds].sort((a, b) => b - a));
      const lengths = pages.reduce((sum, { body }) => sum + body.length, 0);
      if (format === 'ndjson') expect(lengths).toBe(whole.body.length);
    },
  );

  it.each([0, 1, 9, 10])(
    'are one for %i rows, of which 10 fit, with the bytes of an endpoint without pages',
    async (n) => {
      for (const format of ['json', 'ndjson', 'csv', 'tsv', 'parquet']) {
        const [page, whole] = await Promise.all(
          ['others', 'whole'].map((name) => paging.receive(`${name}?n=${n}&format=${format}`)),
        );
        expect(page?.body).toEqual(whole?.body);
        expect([page?.headers['x-next-cursor'], page?.headers['link']]).toEqual([undefined, undefined]);
      }
    },
  );

  it('have the first rows, and their headers, of an endpoint without pages', async () => {
    for (const format of ['json', 'json-table', 'ndjson', 'csv', 'tsv']) {
      const [open, unpaged] = await Promise.all(
        ['others', 'whole'].map((name) => paging.receive(`${name}?n=30&format=${format}`)),
      );
      const rowsIn = (body: Buffer | undefined): string =>
        (body?.toString() ?? '').replace(/,"statistics".*/, '');
      expect(rowsIn(open?.body)).toBe(rowsIn(unpaged?.body));
      expect(open?.headers['x-truncated']).toBe('true');
    }
  });

  it('are found by Link, which never has the key of the caller', async () => {
    const seen: (readonly number[])[] = [];
    let target: string | undefined = `rows?n=25&%61pi_key=${KEYS.reader}&tenant=%22%3E+x&api_key`;
    let link = '';
    for (; target !== undefined;) {
      const page: Received = await paging.receive(target.replace('/api/endpoints/query/', ''));
      expect(page.status).toBe(200);
      seen.push(await numbersIn(page));
      link = page.headers['link']?.toString() ?? '';
      expect(link).not.toMatch(/api_key|%61pi|qg_/);
      target = /^<([^<>"\s]+)>; rel="next"$/.exec(link)?.[1];
    }
    expect([seen.length, new Set(seen.flat()).size, link]).toEqual([3, 25, '']);
  });

  it('take their cursor in the query string of a POST, whose response has no Link', async () => {
    const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"n": 15}' };
    const first = await paging.receive('rows', post);
    expect(first.headers['link']).toBeUndefined();
    const next = await paging.receive(`rows?cursor=${cursorOf(first) ?? ''}`, post);
    expect([next.status, await numbersIn(next).then(({ length }) => length)]).toEqual([200, 5]);
    const misplaced = await paging.receive('rows', { ...post, body: '{"n": 15, "cursor": "a"}' });
    expect(problemIn(misplaced)).toContain('400 INVALID_PARAMETERS');
  });

  it('have their headers with HEAD, with 304, and from the cache', async () => {
    const first = await paging.receive('rows?n=31');
    const [head, hit] = [
      await paging.receive('rows?n=31', { method: 'HEAD' }),
      await paging.receive('rows?n=31'),
    ];
    const unchanged = await paging.receive('rows?n=31', {
      headers: { 'If-None-Match': String(first.headers.etag) },
    });
    expect([head.status, hit.headers['x-cache'], unchanged.status]).toEqual([200, 'HIT', 304]);
    for (const { headers } of [head, hit, unchanged]) {
      expect([headers['x-next-cursor'], headers['link']]).toEqual([cursorOf(first), first.headers['link']]);
    }
    const second = `rows?n=31&cursor=${cursorOf(first) ?? ''}`;
    const statuses = [await paging.receive(second), await paging.receive(second)].map(
      ({ headers }) => headers['x-cache'],
    );
    expect(statuses).toEqual(['MISS', 'HIT']);
  });

  it('are of the time of the first page, to the microsecond, however late they are requested', async () => {
    const timesIn = ({ body }: Received): readonly unknown[] => {
      const { result } = JSON.parse(body.toString()) as {
        readonly result: readonly Record<string, unknown>[];
      };
      return result.flatMap(({ now, since }) => [now, since]);
    };
    const first = await paging.receive('rows?n=33');
    paging.clock.advance(45 * 60_000);
    const second = await paging.receive(`rows?n=33&cursor=${cursorOf(first) ?? ''}`);
    paging.clock.advance(45 * 60_000);
    const third = await paging.receive(`rows?n=33&cursor=${cursorOf(second) ?? ''}`);
    const times = new Set([first, second, third].flatMap(timesIn));
    expect(times.size).toBe(2);
  });

  it('can be of other formats, but Parquet and Arrow name no next page', async () => {
    const first = await paging.receive('rows?n=35');
    const csv = await paging.receive(`rows?n=35&format=csv&cursor=${cursorOf(first) ?? ''}`);
    const parquet = await paging.receive(`rows?n=35&format=parquet&cursor=${cursorOf(csv) ?? ''}`);
    const pages = [await numbersIn(first), await numbersIn(csv, 'csv'), await numbersIn(parquet, 'parquet')];
    expect(new Set(pages.flat()).size).toBe(30);
    expect([parquet.headers['x-truncated'], cursorOf(parquet)]).toEqual(['true', undefined]);
  });

  it('are taken by the query itself where it has the place for them', async () => {
    const pages = await pagesOf('inside?n=35');
    expect((await Promise.all(pages.map((page) => numbersIn(page)))).flat()).toEqual(
      [...NUMBERS(35)].reverse(),
    );
  });

  it('are the rows of the tenant of a pinned key', async () => {
    const pages = await pagesOf('rows?n=25', { key: KEYS.tenant });
    expect(pages).toHaveLength(3);
    expect(pages.map(({ body }) => body.toString()).join('')).toContain(String.raw`"a\"\n,1"`);
  });

  it('are an error where two rows are equal in what orders them, or a text is too long for a cursor', async () => {
    expect(problemIn(await paging.receive('equal?n=11'))).toBe(
      '500 PAGES_NOT_UNIQUE: Two rows have the same half where a page ends, so that the next page would leave one out. ' +
        'Report it to the author of the endpoint: pages.by must name columns in which no two rows are equal.',
    );
    expect((await paging.receive('equal?n=10')).status).toBe(200);
    const long = await paging.receive('long?n=14');
    expect([long.status, (cursorOf(long) ?? '').length < 2900, long.headers['link']]).toEqual([
      200,
      true,
      undefined,
    ]);
    expect(problemIn(await paging.receive('long?n=16'))).toContain(
      '500 ENDPOINT_INVALID: A page of this endpoint ends with a text',
    );
  });

  it.each([
    ["DateTime64(3, 'UTC')", "toDateTime64('2026-01-01 00:00:00.0009', 6, 'UTC') + number AS at"],
    ['UInt64', "CAST(NULL, 'Nullable(UInt64)') AS at"],
  ])('are an error where an order declared as %s has other values: %s', async (type, column) => {
    const others = `/*\nid: 8a57bd2e-96cf-4c43-9e6a-2f6f2a8d0202\nsummary: Of another type.\ncolumns: { at: "${type}" }\npages: { by: [at] }\nmaxRows: 2\n*/\nSELECT ${column} FROM numbers(20)\n`;
    await PagingGateway.use({
      files: { others },
      test: async (own) => {
        expect(problemIn(await own.receive('others'))).toContain('500 ENDPOINT_INVALID');
      },
    });
  });

  it('have no export where the query takes the cursor itself, and may bound its rows', async () => {
    expect(problemIn(await paging.receive('inside?n=5&export=1'))).toContain(
      '403 EXPORT_NOT_ALLOWED: The query of this endpoint',
    );
  });

  it('have a Link of a path and a query, also for a request in absolute form, and none with a secret', async () => {
    const { port } = new URL(paging.gateway.url);
    const [response] = await exchange(
      Number(port),
      `GET http://elsewhere.example/api/endpoints/query/others?n=30 HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-API-KEY: ${KEYS.reader}\r\n\r\n`,
    );
    expect(response?.headers['link']).toMatch(/^<\/api\/endpoints\/query\/others\?n=30&cursor=/);
    await PagingGateway.use({
      files: PagingGateway.fileOf(
        'others',
        'minimum: 0, description',
        'minimum: 0, secret: true, description',
      ),
      test: async (own) => {
        const { headers } = await own.receive('others?n=30');
        expect([headers['x-next-cursor'], headers['link']]).toEqual([expect.any(String), undefined]);
      },
    });
  });

  it('are 422 with complete=1 where there are more', async () => {
    expect(problemIn(await paging.receive('rows?n=11&complete=1'))).toContain('422 RESULT_TRUNCATED');
  });
});
