import { Failure } from '../../../../src/gateway/errors.js';
import { pollUntil } from '../../../support/poll-until.js';
import { SettableClock } from '../../../support/settable-clock.js';
import { openTestExecution } from '../../../support/test-execution.js';

const HOUR_MS = 3_600_000;

describe('a gateway whose clock is set back by an hour while ClickHouse does not respond', () => {
  it('closes its circuit breaker as soon as ClickHouse responds', async () => {
    const time = new SettableClock();
    const execution = await openTestExecution({ clock: time.clock });
    const { clickhouse, requestCity, close } = execution;
    try {
      clickhouse.fail(new Failure('CLICKHOUSE_UNREACHABLE', 'It is unreachable.'));
      for (let n = 0; n < 3; n += 1) await requestCity(`city ${n}`).catch(() => undefined);
      expect(execution.pool.isUnavailable).toBe(true);
      time.advance(-HOUR_MS);
      clickhouse.returnRows([]);
      const outcome = pollUntil('ClickHouse is queried again', () =>
        requestCity('Rome').catch(() => undefined),
      );
      expect((await outcome).status).toBe('MISS');
    } finally {
      await close();
    }
  });
});
