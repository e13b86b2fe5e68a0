import type { RunQuery } from '../../../../src/gateway/query/ports.js';
import { QueryQueue } from '../../../../src/gateway/scheduler/query-queue.js';
import { FakeRunQuery } from '../../../support/fake-run-query.js';
import { delayQueries, type PendingQueries } from '../../../support/pending-queries.js';
import { ManualTimers, settled } from './manual-timers.js';
import { inSlotOf, sampleRequest } from './sample-request.js';

export const MAX_WAIT_MS = 5000;
export const BUSY = { code: 'GATEWAY_BUSY', status: 503, details: { retryAfterSeconds: 1 } };

/** A queue before queries that a test ends, with timers that a test fires. */
export class QueueUnderTest {
  readonly timers = new ManualTimers();
  readonly runQuery = new FakeRunQuery();
  readonly pending: PendingQueries = delayQueries(this.runQuery);
  readonly queue: QueryQueue;
  readonly run: RunQuery;

  constructor(slots = 2, maxWaiting = 8, maxInLane = slots) {
    const { setTimer } = this.timers;
    this.queue = new QueryQueue({ slots, maxWaiting, maxInLane, maxWaitMs: MAX_WAIT_MS, setTimer });
    this.run = inSlotOf(this.queue, this.runQuery.run);
  }

  /** The names of the queries that have started, in order. */
  readonly ran = (): string => this.runQuery.requests.map(({ requestId }) => requestId).join(' ');

  /** Requests one query after another; each is named by its lane and a number. */
  readonly send = (
    names: string,
    priority: 'interactive' | 'warming' = 'interactive',
  ): readonly Promise<unknown>[] =>
    names.split(' ').map((name) => {
      const running = this.run(sampleRequest(name, { lane: name.slice(0, 1), priority }));
      running.catch(() => undefined);
      return running;
    });

  /** Ends running queries until none waits. */
  readonly finishAll = async (): Promise<void> => {
    while (this.queue.figures.running > 0) {
      this.pending.finish([]);
      await settled();
    }
  };
}
