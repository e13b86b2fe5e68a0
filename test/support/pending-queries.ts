import type { QueryRequest, QueryResult } from '../../src/query/ports.js';
import { resultOf, type FakeRunQuery } from './fake-run-query.js';

/** Queries that take as long as the test wants. */
export interface PendingQueries {
  /** Ends all that run. */
  readonly finish: (rows: readonly object[]) => void;
  readonly fail: (error: Error) => void;
}

/** Holds every query that is asked from now on until told; one whose callers have left fails at once. */
export function delayQueries(runQuery: FakeRunQuery): PendingQueries {
  const pending: { resolve: (result: QueryResult) => void; reject: (error: Error) => void }[] = [];
  runQuery.respondWith(
    ({ signal }: QueryRequest) =>
      new Promise<QueryResult>((resolve, reject) => {
        pending.push({ resolve, reject });
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      }),
  );
  return {
    finish: (rows) => {
      for (const { resolve } of pending.splice(0)) resolve(resultOf(rows));
    },
    fail: (error) => {
      for (const { reject } of pending.splice(0)) reject(error);
    },
  };
}
