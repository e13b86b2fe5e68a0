import { ClickHouseError } from '@clickhouse/client';

import { translateClickHouseError } from '../../../../src/gateway/clickhouse/translate-error.js';
import { Failure } from '../../../../src/gateway/errors.js';

const SECRET = "SELECT * FROM logs.edge_logs WHERE project = 'aurora'";
const exception = (code: string, type: string): ClickHouseError =>
  new ClickHouseError({ message: `${SECRET} failed`, code, type });
const systemError = (code: string): Error => Object.assign(new Error(`${code} 10.0.0.1:8123`), { code });

describe('translateClickHouseError', () => {
  it.each([
    ['427', 'CANNOT_COMPILE_REGEXP', 'BAD_REGULAR_EXPRESSION', 400],
    ['159', 'TIMEOUT_EXCEEDED', 'QUERY_TIMEOUT', 504],
    ['160', 'TOO_SLOW', 'QUERY_TIMEOUT', 504],
    ['241', 'MEMORY_LIMIT_EXCEEDED', 'QUERY_NEEDS_TOO_MUCH_MEMORY', 422],
    ['158', 'TOO_MANY_ROWS', 'QUERY_READS_TOO_MUCH', 422],
    ['307', 'TOO_MANY_BYTES', 'QUERY_READS_TOO_MUCH', 422],
    ['396', 'TOO_MANY_ROWS_OR_BYTES', 'RESULT_TOO_LARGE', 422],
    ['202', 'TOO_MANY_SIMULTANEOUS_QUERIES', 'CLICKHOUSE_BUSY', 503],
    ['32', 'ATTEMPT_TO_READ_AFTER_EOF', 'SHARD_UNREACHABLE', 503],
    ['198', 'DNS_ERROR', 'SHARD_UNREACHABLE', 503],
    ['209', 'SOCKET_TIMEOUT', 'SHARD_UNREACHABLE', 503],
    ['210', 'NETWORK_ERROR', 'SHARD_UNREACHABLE', 503],
    ['279', 'ALL_CONNECTION_TRIES_FAILED', 'SHARD_UNREACHABLE', 503],
    ['904', 'TOO_MANY_UNAVAILABLE_SHARDS', 'SHARD_UNREACHABLE', 503],
    ['60', 'UNKNOWN_TABLE', 'CLICKHOUSE_FAILED', 502],
    ['516', 'AUTHENTICATION_FAILED', 'CLICKHOUSE_FAILED', 502],
    ['62', 'SYNTAX_ERROR', 'CLICKHOUSE_FAILED', 502],
  ])('translates code %s (%s) to %s with status %i', (number, type, code, status) => {
    const failure = translateClickHouseError(exception(number, type));
    expect([failure.code, failure.status]).toEqual([code, status]);
  });

  it('uses the code, because the client can mistake the caller’s text for the name', () => {
    const failure = translateClickHouseError(exception('427', 'SECRET_VALUE'));
    expect(failure.code).toBe('BAD_REGULAR_EXPRESSION');
    expect(failure.details.diagnosis).toBe('ClickHouse: CANNOT_COMPILE_REGEXP (code 427)');
    const other = translateClickHouseError(exception('62', 'TIMEOUT_EXCEEDED'));
    expect(other.code).toBe('CLICKHOUSE_FAILED');
  });

  it.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'CERT_HAS_EXPIRED'])(
    'translates %s to CLICKHOUSE_UNREACHABLE with Retry-After',
    (code) => {
      const failure = translateClickHouseError(systemError(code));
      expect([failure.code, failure.status]).toEqual(['CLICKHOUSE_UNREACHABLE', 503]);
      expect(failure.details.retryAfterSeconds).toBe(1);
    },
  );

  it('translates the client’s own socket timeout to CLICKHOUSE_UNREACHABLE', () => {
    expect(translateClickHouseError(new Error('Timeout error.')).code).toBe('CLICKHOUSE_UNREACHABLE');
  });

  it('translates the page of a proxy to CLICKHOUSE_FAILED without its text', () => {
    const failure = translateClickHouseError(new Error('<html><h1>403 Forbidden</h1></html>'));
    expect([failure.code, failure.status]).toEqual(['CLICKHOUSE_FAILED', 502]);
    expect(failure.details.diagnosis).not.toContain('html');
  });

  it('hides ClickHouse’s text from the caller and retains it as the cause', () => {
    for (const number of ['427', '241', '60', '62']) {
      const error = exception(number, 'SECRET_VALUE');
      const failure = translateClickHouseError(error);
      expect(failure.message).not.toContain('edge_logs');
      expect(failure.details.diagnosis).not.toMatch(/edge_logs|SECRET_VALUE/);
      expect(failure.details.cause).toBe(error);
    }
  });

  it.each([
    ['60', 'UNKNOWN_TABLE', 'querygate migrate'],
    ['81', 'UNKNOWN_DATABASE', 'CLICKHOUSE_DATABASE'],
    ['516', 'AUTHENTICATION_FAILED', 'CLICKHOUSE_PASSWORD'],
    ['497', 'ACCESS_DENIED', 'querygate grants'],
    ['164', 'READONLY', 'readonly = 2'],
    ['75', 'CANNOT_WRITE_TO_FILE_DESCRIPTOR', 'disk'],
    ['76', 'CANNOT_OPEN_FILE', 'disk'],
    ['243', 'NOT_ENOUGH_SPACE', 'disk'],
    ['452', 'SETTING_CONSTRAINT_VIOLATION', 'QUERY_TIMEOUT_SECONDS'],
  ])('gives the operator a hint for %s (%s)', (number, type, hint) => {
    const { diagnosis } = translateClickHouseError(exception(number, type)).details;
    expect(diagnosis).toContain(`ClickHouse: ${type} (code ${number})`);
    expect(diagnosis).toContain(hint);
  });

  it('returns a failure unchanged', () => {
    const failure = new Failure('CLICKHOUSE_ANSWER_BROKEN', 'Cut.');
    expect(translateClickHouseError(failure)).toBe(failure);
  });

  it.each([['a text'], [undefined], [null]])(
    'translates %j, which is not an error, to CLICKHOUSE_FAILED',
    (thrown) => {
      expect(translateClickHouseError(thrown).code).toBe('CLICKHOUSE_FAILED');
    },
  );
});
