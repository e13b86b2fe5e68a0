import { Figures } from '../../../../../src/endpoint/figures.js';
import { Failure } from '../../../../../src/gateway/errors.js';
import type { RequestContext } from '../../../../../src/gateway/http/transport/request-context.js';
import { backgroundRecordOf, recordOf } from '../../../../../src/gateway/http/transport/request-record.js';

const codeOf = (facts: Partial<RequestContext>, status = 200): string =>
  recordOf(
    { context: { requestId: 'request-1', startedAt: 0, ...facts }, status, totalMs: 1, bytesSent: 0 },
    new Date(0),
  ).code;

describe('the code of a request record', () => {
  it('is the code of the failure', () => {
    expect(codeOf({}, 200)).toBe('');
    expect(codeOf({ failure: new Failure('CLICKHOUSE_BUSY', 'Busy.') }, 503)).toBe('CLICKHOUSE_BUSY');
    expect(codeOf({ failure: new TypeError('a fault') }, 500)).toBe('INTERNAL');
  });

  it('is SHARD_UNREACHABLE for a partial 200', () => {
    expect(codeOf({ partial: true }, 200)).toBe('SHARD_UNREACHABLE');
  });
});

it('a query that no request got has a record of its own, with the key of its call', () => {
  const cost = new Figures({ rowsRead: 10, bytesRead: 100, clickhouseMs: 1 });
  const query = { purpose: 'deferred', endpoint: 'sample', caller: 'tenant', cost, callers: 2 } as const;
  expect(backgroundRecordOf(query, new Date(0))).toMatchObject({
    ...{ purpose: 'deferred', key_name: 'tenant', endpoint: 'sample', request_id: '', rows_read: 10 },
    charged_rows: 5,
  });
});
