import type { QueryRequest, QueryResult } from '../../src/query/ports.js';
import { resultOf, type FakeRunQuery } from './fake-run-query.js';

/** Queries that take as long as the test wants. */
export interface HeldQueries {
  /** Ends all that run. */
  readonly answer: (rows: readonly object[]) => void;
  readonly fail: (error: Error) => void;
}

/** Holds every query that is asked from now on until told; one whose callers have left fails at once. */
export function holdQueries(runQuery: FakeRunQuery): HeldQueries {
  const held: { resolve: (result: QueryResult) => void; reject: (error: Error) => void }[] = [];
  runQuery.respondWith(
    ({ signal }: QueryRequest) =>
      new Promise<QueryResult>((resolve, reject) => {
        held.push({ resolve, reject });
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      }),
  );
  return {
    answer: (rows) => {
      for (const { resolve } of held.splice(0)) resolve(resultOf(rows));
    },
    fail: (error) => {
      for (const { reject } of held.splice(0)) reject(error);
    },
  };
}
