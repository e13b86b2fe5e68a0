import type { BoundQuery } from '../../src/endpoint/bind.js';
import { column } from '../../src/endpoint/definition.js';
import type { Failure } from '../../src/gateway/errors.js';
import type { QueryRequest, QueryResult } from '../../src/gateway/query/ports.js';

/** Builds a request for a query of one column `n`; `changes` override its fields. */
export function queryRequest(
  text: string,
  changes: Partial<QueryRequest> & Partial<Pick<BoundQuery, 'parameters'>> = {},
): QueryRequest {
  const { parameters = {}, ...rest } = changes;
  return {
    query: { text, parameters },
    columns: new Map([['n', column('UInt64', 'A number.')]]),
    rowCap: 1000,
    requestId: 'query-runner-test',
    signal: new AbortController().signal,
    ...rest,
  };
}

/** Parses the rows of a result. */
export function rowsOf({ body }: Pick<QueryResult, 'body'>): readonly Readonly<Record<string, unknown>>[] {
  return (JSON.parse(body.toString()) as { result: Record<string, unknown>[] }).result;
}

/** Returns the error with which a query fails. */
export async function failureOf(running: Promise<unknown>): Promise<Failure> {
  try {
    await running;
  } catch (error) {
    return error as Failure;
  }
  throw new Error('the query succeeded, but should fail');
}
