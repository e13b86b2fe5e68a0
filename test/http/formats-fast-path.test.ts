import type { QueryRequest } from '../../src/gateway/query/ports.js';
import { CachingGateway, type Headers } from '../support/caching-gateway.js';
import { resultOf } from '../support/fake-run-query.js';
import { sampleEndpoint } from '../support/sample-endpoint.js';

const URL = '/api/endpoints/query/cached?city=Rome';
const CSV = 'text/csv; charset=utf-8; header=present';
const JSON_TYPE = 'application/json; charset=utf-8';

let gateway: CachingGateway;

beforeEach(async () => {
  gateway = new CachingGateway([sampleEndpoint({ name: 'cached', caching: 60 })]);
  gateway.runQuery.respondWith(({ representation }: QueryRequest) =>
    Promise.resolve({ ...resultOf([]), body: Buffer.from(representation?.name ?? '') }),
  );
  await gateway.listen();
});
afterEach(() => gateway.close());

/** Content-Type and body of a request to the server with the fast path. */
const request = async (url: string, headers: Headers = {}): Promise<readonly unknown[]> => {
  const response = await gateway.send('fast path', url, headers);
  return [response.headers['content-type'], response.body.toString()];
};

describe('the fast path', () => {
  it('serves a URL with a format in that format', async () => {
    for (let time = 0; time < 3; time += 1) {
      expect(await request(`${URL}&format=csv&download=1`)).toEqual([CSV, 'csv']);
      expect(await request(`${URL}&format=csv&csv_safe=1`)).toEqual([CSV, 'csv;formula-safe']);
      expect(await request(`${URL}&numbers=text`)).toEqual([JSON_TYPE, 'json;text-numbers']);
    }
    expect(gateway.servedOnFastPath).toBe(6);
    const response = await gateway.sendOnBothPaths(`${URL}&format=csv&download=1`);
    expect(response.headers['content-disposition']).toMatch(
      /^attachment; filename="cached-\d{8}T\d{6}Z\.csv"$/,
    );
    await gateway.sendOnBothPaths(`${URL}&format=csv&csv_safe=1`, { Accept: 'application/json' });
  });

  it('never serves a representation that Accept or Prefer of another request selected', async () => {
    const others: readonly (readonly [Headers, readonly string[]])[] = [
      [{ Accept: 'text/csv' }, [CSV, 'csv']],
      [{ Accept: 'text/csv', Prefer: 'timestamps=unix-micros' }, [CSV, 'csv;unix-micros']],
      [{ Prefer: 'timestamps=unix-micros' }, [JSON_TYPE, 'json;unix-micros']],
      [{ Prefer: 'numbers=text' }, [JSON_TYPE, 'json;text-numbers']],
    ];
    // In either order of the requests.
    for (let time = 0; time < 3; time += 1) {
      for (const [headers, expected] of others) expect(await request(URL, headers)).toEqual(expected);
      if (time > 0) expect(await request(URL)).toEqual([JSON_TYPE, 'json']);
    }
    expect(gateway.servedOnFastPath).toBe(1);
    expect(await request(URL, { Accept: 'application/json, text/plain, */*' })).toEqual([JSON_TYPE, 'json']);
    expect(gateway.servedOnFastPath).toBe(2);
  });
});
