import type { QueryRequest, QueryResult } from '../../src/gateway/query/ports.js';
import { resultOf, type FakeRunQuery } from './fake-run-query.js';

/** Queries that run until the test ends them. */
export interface PendingQueries {
  /** Ends all running queries with these rows. */
  readonly finish: (rows: readonly object[], facts?: Pick<QueryResult, 'partial'>) => void;
  readonly fail: (error: Error) => void;
}

/** Makes every query from now on wait until the test ends it; a query fails at once when all its callers disconnect. */
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
    finish: (rows, facts) => {
      for (const { resolve } of pending.splice(0)) resolve({ ...resultOf(rows), ...facts });
    },
    fail: (error) => {
      for (const { reject } of pending.splice(0)) reject(error);
    },
  };
}
