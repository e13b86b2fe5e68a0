import { Figures } from '../../../../src/endpoint/figures.js';
import { Failure } from '../../../../src/gateway/errors.js';
import type { RequestContext } from '../../../../src/gateway/http/transport/request-context.js';
import { backgroundEntryOf, entryOf } from '../../../../src/gateway/server/open-request-log.js';
import { lineOf } from '../../../../src/gateway/observability/request-log-columns.js';

const codeOf = (facts: Partial<RequestContext>, status = 200): string =>
  entryOf(
    { context: { requestId: 'request-1', startedAt: 0, ...facts }, status, totalMs: 1, bytesSent: 0 },
    new Date(0),
  ).code;

describe('the code of a request in the request log', () => {
  it('is the code of the failure', () => {
    expect(codeOf({}, 200)).toBe('');
    expect(codeOf({ failure: new Failure('CLICKHOUSE_BUSY', 'Busy.') }, 503)).toBe('CLICKHOUSE_BUSY');
    expect(codeOf({ failure: new TypeError('a fault') }, 500)).toBe('INTERNAL');
  });

  it('is SHARD_UNREACHABLE for a partial 200', () => {
    expect(codeOf({ outcome: { partial: true } }, 200)).toBe('SHARD_UNREACHABLE');
  });
});

it('a query that no request got has an entry of its own, with the key of its call', () => {
  const cost = new Figures({ rowsRead: 10, bytesRead: 100, clickhouseMs: 1 });
  const query = { purpose: 'deferred', endpoint: 'sample', caller: 'tenant', cost, callers: 2 } as const;
  expect(lineOf(backgroundEntryOf(query, new Date(0)))).toBe(
    '1970-01-01T00:00:00.000Z\t\t\tsample\t\t\ttenant\t0\t\t\t0\t10\t100\t0\t0\t1\tdeferred\t0\t5\t50\t0.5\t0\t0\t\t\n',
  );
});
