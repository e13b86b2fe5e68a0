import { CachingGateway, type RequestPath } from './caching-gateway.js';
import { resultOf } from './fake-run-query.js';
import { sampleEndpoint } from './sample-endpoint.js';

const CACHED = sampleEndpoint({ name: 'cached', caching: 60, staleIfError: 600 });
const UNCACHED = sampleEndpoint({
  id: '22222222-2222-4333-8444-555555555555',
  name: 'uncached',
  caching: 'disabled',
});

export const PATHS: readonly RequestPath[] = ['slow path', 'fast path'];
export const VARY = 'Accept, Accept-Encoding, X-API-KEY, Authorization, Prefer';

/** A gateway for the tests of a file, with the endpoints `cached` (for 60 s) and `uncached`. */
export interface CachedEndpoint {
  readonly gateway: CachingGateway;
  /** Makes ClickHouse return 200 rows again, or one row if the city starts with `village`. */
  readonly respondAsUsual: () => void;
  /** Returns a URL that no earlier test used. */
  readonly newRequest: (kind?: string, endpoint?: string) => string;
  /** Returns a URL whose result is cached. */
  readonly cachedUrl: (kind?: string) => Promise<string>;
}

/** Opens the gateway before the tests of the file and closes it after them. */
export function useCachedEndpoint(): CachedEndpoint {
  const gateway = new CachingGateway([CACHED, UNCACHED]);
  const respondAsUsual = (): void => {
    gateway.runQuery.respondWith(({ query }) => {
      const city = String(query.parameters['city']);
      const rows = city.startsWith('village') ? 1 : 200;
      return Promise.resolve(resultOf(Array.from({ length: rows }, (_, row) => ({ city, row }))));
    });
  };
  beforeAll(() => gateway.listen());
  beforeEach(respondAsUsual);
  afterAll(() => gateway.close());
  let count = 0;
  const newRequest = (kind = 'city', endpoint = 'cached'): string =>
    `/api/endpoints/query/${endpoint}?city=${kind}-${(count += 1)}`;
  const cachedUrl = async (kind?: string): Promise<string> => {
    const url = newRequest(kind);
    expect((await gateway.send('slow path', url)).headers['x-cache']).toBe('MISS');
    return url;
  };
  return { gateway, respondAsUsual, newRequest, cachedUrl };
}
