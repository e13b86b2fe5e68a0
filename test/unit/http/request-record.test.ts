import { Failure } from '../../../src/errors.js';
import type { RequestContext } from '../../../src/http/request-context.js';
import { recordOf } from '../../../src/http/request-record.js';

const codeOf = (facts: Partial<RequestContext>, status = 200): string =>
  recordOf({ context: { requestId: 'request-1', startedAt: 0, ...facts }, status, totalMs: 1 }, new Date(0))
    .code;

describe('the code of a request that is written down', () => {
  it('is that of the failure, if there was one', () => {
    expect(codeOf({}, 200)).toBe('');
    expect(codeOf({ failure: new Failure('CLICKHOUSE_BUSY', 'Busy.') }, 503)).toBe('CLICKHOUSE_BUSY');
    expect(codeOf({ failure: new TypeError('a fault') }, 500)).toBe('INTERNAL');
  });

  it('tells beside a 200 that the answer was partial', () => {
    expect(codeOf({ partial: true }, 200)).toBe('SHARD_UNREACHABLE');
  });
});
