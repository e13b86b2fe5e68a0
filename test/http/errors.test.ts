import { translateClickHouseError } from '../../src/gateway/clickhouse/translate-error.js';
import { ERRORS, Failure } from '../../src/gateway/errors.js';
import { ClickHouseError } from '@clickhouse/client';
import { createTestGateway, GOOD_CALL, problemOf } from '../support/test-gateway.js';

const SECRETS = /SELECT|edge_logs|DB::Exception|at Object|\.ts:|\.js:|10\.0\.0\.1/;
const SQL = 'DB::Exception: Table edge_logs: SELECT secret FROM edge_logs (10.0.0.1:8123)';

describe('a failure', () => {
  it.each(['CLICKHOUSE_FAILED', 'QUERY_TIMEOUT', 'FORBIDDEN'] as const)(
    '%s returns a problem document with its status and title',
    async (code) => {
      const { get, runQuery } = await createTestGateway();
      const cause = new Error(SQL);
      runQuery.fail(
        new Failure(code, 'A text for the caller.', { cause, diagnosis: SQL, retryAfterSeconds: 7 }),
      );
      const response = await get(GOOD_CALL).set('X-Request-Id', 'request-1');
      expect(problemOf(response)).toEqual({
        type: `urn:querygate:problem:${code.toLowerCase().replaceAll('_', '-')}`,
        title: ERRORS[code].title,
        status: ERRORS[code].status,
        detail: 'A text for the caller.',
        code,
        requestId: 'request-1',
        error: 'A text for the caller.',
      });
      expect(response.headers['retry-after']).toBe('7');
      expect(response.headers['cache-control']).toBe('no-store');
      expect(JSON.stringify([response.headers, response.text])).not.toMatch(SECRETS);
    },
  );

  it.each([
    ['UNKNOWN_TABLE', '60', 502, 'CLICKHOUSE_FAILED'],
    ['SYNTAX_ERROR', '62', 502, 'CLICKHOUSE_FAILED'],
    ['TIMEOUT_EXCEEDED', '159', 504, 'QUERY_TIMEOUT'],
    ['MEMORY_LIMIT_EXCEEDED', '241', 422, 'QUERY_NEEDS_TOO_MUCH_MEMORY'],
    ['ALL_CONNECTION_TRIES_FAILED', '279', 503, 'SHARD_UNREACHABLE'],
    ['TOO_MANY_SIMULTANEOUS_QUERIES', '202', 503, 'CLICKHOUSE_BUSY'],
  ])(
    'of ClickHouse, %s (%s), returns %i %s without ClickHouse’s text',
    async (type, number, status, code) => {
      const { get, runQuery } = await createTestGateway();
      runQuery.fail(translateClickHouseError(new ClickHouseError({ message: SQL, code: number, type })));
      const response = await get(GOOD_CALL);
      expect(problemOf(response)).toMatchObject({ status, code });
      expect(JSON.stringify([response.headers, response.text])).not.toMatch(SECRETS);
      expect(response.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
    },
  );

  it('that is unexpected returns 500 without its text or stack', async () => {
    const { get, runQuery } = await createTestGateway();
    runQuery.fail(new TypeError(SQL));
    const response = await get(GOOD_CALL);
    expect(problemOf(response)).toMatchObject({ status: 500, code: 'INTERNAL' });
    expect(JSON.stringify([response.headers, response.text])).not.toMatch(SECRETS);
  });

  it('does not affect later requests', async () => {
    const { get, runQuery } = await createTestGateway();
    runQuery.fail(new Error(SQL));
    await get(GOOD_CALL);
    runQuery.returnRows([{ total: 1 }]);
    expect((await get(GOOD_CALL)).body).toEqual({ result: [{ total: 1 }] });
  });
});
