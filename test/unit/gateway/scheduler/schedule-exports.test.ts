import type { ExportRequest } from '../../../../src/gateway/query/ports.js';
import { QueryQueue } from '../../../../src/gateway/scheduler/query-queue.js';
import { scheduleExports } from '../../../../src/gateway/scheduler/run-query.js';
import { queryRequest } from '../../../support/query-requests.js';
import { representationOf } from '../../../../src/gateway/formats/representation.js';

const OUTCOME = { rowCount: 0, bytes: 0, cost: undefined, queryId: 'q', waitingMs: 0 };

/** Runs an export that takes one turn; returns how long it waited for the turn: undefined without a timer. */
async function pauseOf(isRunning: boolean): Promise<number | undefined> {
  let paused: number | undefined;
  let noted = 0;
  const server = {
    breaker: {
      noteResponse: () => {
        noted += 1;
      },
    },
    runExport: async ({ takeTurn }: ExportRequest): Promise<typeof OUTCOME> => {
      await new Promise<void>((resolve) => {
        takeTurn(resolve);
      });
      return OUTCOME;
    },
  };
  const pool = {
    requireServer: () => Promise.resolve(),
    run: <R, T>(request: R, work: (on: typeof server, request: R) => Promise<T>): Promise<T> =>
      work(server, request),
  };
  const queue = new QueryQueue({ slots: 1, maxWaiting: 0, maxWaitMs: 1000 });
  const schedule = scheduleExports(
    { pool, queue } as unknown as Parameters<typeof scheduleExports>[0],
    { isRunning },
    (resume, milliseconds) => {
      paused = milliseconds;
      resume();
      return () => undefined;
    },
  );
  const query = queryRequest('SELECT 1');
  const outcome = await schedule({
    ...query,
    representation: representationOf('csv'),
    maxSeconds: 1,
    openSink: () => {
      throw new Error('no sink');
    },
  });
  expect([outcome, noted]).toEqual([{ ...OUTCOME, waitingMs: expect.any(Number) as number }, 1]);
  return paused;
}

describe('an export', () => {
  it('pauses between its parts while other queries run, and shows with each that its server responds', async () => {
    expect(await pauseOf(true)).toBeGreaterThan(0);
    expect(await pauseOf(false)).toBeUndefined();
  });
});
