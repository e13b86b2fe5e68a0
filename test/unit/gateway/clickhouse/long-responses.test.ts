import { createQueryRunner } from '../../../../src/gateway/clickhouse/query-runner.js';
import type { Failure } from '../../../../src/gateway/errors.js';
import type { QueryResult } from '../../../../src/gateway/query/ports.js';
import { respondWith, withFakeClickHouse } from '../../../support/fake-clickhouse.js';
import { queryRequest } from '../../../support/query-requests.js';

const MIB = 1024 * 1024;
const MAX_BYTES = 33 * MIB;

/** Runs a query whose response has one row and this size; returns the outcome and the query string of the request. */
async function outcomeOf(
  bytes: number,
  maxResultBytes?: number,
): Promise<{ readonly outcome: Failure | QueryResult; readonly query: URLSearchParams }> {
  const [start, end] = ['{"result":[{"n":"', '"}]}'];
  const body = start + 'x'.repeat(bytes - start.length - end.length) + end;
  let url = '';
  let outcome: Failure | QueryResult | undefined;
  await withFakeClickHouse(
    (request, response) => {
      url = request.url ?? '';
      respondWith(body, 1)(request, response);
    },
    async ({ client }) => {
      const limits = { timeoutMs: 20_000, ...(maxResultBytes !== undefined && { maxResultBytes }) };
      const running = createQueryRunner(client, limits)(queryRequest('SELECT 1 AS n'));
      outcome = await running.catch((error: unknown) => error as Failure);
    },
  );
  if (!outcome) throw new Error('the query did not run');
  return { outcome, query: new URL(url, 'http://clickhouse').searchParams };
}

describe('a long response of ClickHouse', () => {
  it('is returned at the limit on results', async () => {
    const { outcome } = await outcomeOf(MAX_BYTES, MAX_BYTES);
    expect(outcome).toMatchObject({ rowCount: 1 });
  });

  it('fails with 422 at one byte above the limit', async () => {
    const { outcome } = await outcomeOf(MAX_BYTES + 1, MAX_BYTES);
    expect(outcome).toMatchObject({
      code: 'RESULT_TOO_LARGE',
      status: 422,
      details: { diagnosis: `a response of more than ${MAX_BYTES} bytes` },
    });
  });

  it('is returned up to 32 MiB when the limit on results is smaller', async () => {
    expect((await outcomeOf(32 * MIB, 1000)).outcome).toMatchObject({ rowCount: 1 });
    expect((await outcomeOf(32 * MIB + 1, 1000)).outcome).toMatchObject({ code: 'RESULT_TOO_LARGE' });
  });

  it.each([
    [undefined, 32 * MIB + 1],
    [1000, 32 * MIB + 1],
    [256_000_000, 256_000_001],
  ])('with a limit of %p bytes, has a buffer of %i bytes in ClickHouse', async (limit, expected) => {
    const { query } = await outcomeOf(100, limit);
    expect([query.get('wait_end_of_query'), query.get('http_response_buffer_size')]).toEqual([
      '1',
      String(expected),
    ]);
  });
});
