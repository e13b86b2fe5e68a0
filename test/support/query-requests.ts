import type { BoundQuery } from '../../src/endpoint/bind.js';
import { column } from '../../src/endpoint/definition.js';
import type { Failure } from '../../src/errors.js';
import type { QueryRequest, QueryResult } from '../../src/query/ports.js';

/** A request for a query of one column `n`, unless told otherwise. */
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

/** The rows of a result. */
export function rowsOf({ body }: Pick<QueryResult, 'body'>): readonly Readonly<Record<string, unknown>>[] {
  return (JSON.parse(body.toString()) as { result: Record<string, unknown>[] }).result;
}

/** What a query fails with. */
export async function failureOf(running: Promise<unknown>): Promise<Failure> {
  try {
    await running;
  } catch (error) {
    return error as Failure;
  }
  throw new Error('the query was answered');
}
