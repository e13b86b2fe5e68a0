import type { Endpoint } from '../../endpoint/endpoint.js';
import type { AnalyzeSql, CheckSql } from '../query/sandboxed-select.js';
import { createSandbox } from '../sandbox/sandbox.js';

/** The check of callers' SQL. @param requireRunnable throws a Failure for an endpoint over which no query can run. */
export function openSandbox(analyzeSql: AnalyzeSql, requireRunnable: (endpoint: Endpoint) => void): CheckSql {
  const checkSql = createSandbox(analyzeSql);
  return async (endpoint, ...rest) => {
    requireRunnable(endpoint);
    return checkSql(endpoint, ...rest);
  };
}
