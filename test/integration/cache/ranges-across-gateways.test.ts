import { AccessGateway } from '../../support/access-gateway.js';
import { FakeRunQuery } from '../../support/fake-run-query.js';
import type { NetworkResponse } from '../../support/network-request.js';
import { sampleEndpoint } from '../../support/sample-endpoint.js';
import { newPrefix, sharedRedisUrl } from '../../support/test-redis.js';

const CALL = '/api/endpoints/query/sample?city=Rome';
const SHARED_KB = 8;

let gateways: readonly AccessGateway[];
let runQuery: FakeRunQuery;

beforeEach(async () => {
  runQuery = new FakeRunQuery();
  const environment = {
    REDIS_URL: sharedRedisUrl(),
    CACHE_KEY_PREFIX: newPrefix(),
    CACHE_MAX_SHARED_KB: String(SHARED_KB),
  };
  // Redis removes entries by its own clock.
  const now = new Date();
  const open = (): Promise<AccessGateway> =>
    AccessGateway.open({
      keys: { tool: {} },
      environment,
      endpoints: [sampleEndpoint({ caching: 60 })],
      runQuery: runQuery.run,
      clock: () => now,
    });
  gateways = [await open(), await open()];
});
afterEach(async () => {
  for (const gateway of gateways) await gateway.close();
});

/** Sends a request for a range to each gateway in turn, as a proxy would spread the requests of one read. */
async function readInTurns(ranges: readonly string[]): Promise<readonly NetworkResponse[]> {
  const responses: NetworkResponse[] = [];
  for (const [index, range] of ranges.entries()) {
    const gateway = gateways[index % gateways.length];
    if (gateway) responses.push(await gateway.send('tool', CALL, { headers: { Range: `bytes=${range}` } }));
  }
  return responses;
}

describe('the ranges of one result, from gateways that share a Redis', () => {
  it('are of the same bytes, under one ETag, of one query', async () => {
    runQuery.returnRows([{ text: 'a'.repeat(500) }, { text: 'b'.repeat(500) }]);
    const responses = await readInTurns(['0-299', '300-599', '600-899', '900-']);
    expect(responses.map(({ status }) => status)).toEqual([206, 206, 206, 206]);
    expect(new Set(responses.map(({ headers }) => headers.etag)).size).toBe(1);
    const rows = JSON.parse(responses.map(({ text }) => text).join('')) as { result: { text: string }[] };
    expect(rows.result.map(({ text }) => text)).toEqual(['a'.repeat(500), 'b'.repeat(500)]);
    expect(runQuery.requests).toHaveLength(1);
  });

  it('are refused by all of them where the result is too large for Redis, because each would run a query', async () => {
    runQuery.returnRows([{ text: 'x'.repeat(SHARED_KB * 1024) }]);
    const responses = await readInTurns(['0-1', '2-3', '0-1', '2-3']);
    expect(responses.map(({ status, headers }) => [status, headers['accept-ranges']])).toEqual(
      responses.map(() => [200, 'none']),
    );
  });
});
