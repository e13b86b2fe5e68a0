import { RESULT_END, RESULT_START, ROW_SEPARATOR } from '../../src/formats/template-format.js';
import type { QueryRequest, QueryResult, RunQuery } from '../../src/query/ports.js';

/** A result as ClickHouse gives it. */
export function resultOf(rows: readonly object[], truncated = false): QueryResult {
  const text = rows.map((row) => JSON.stringify(row)).join(ROW_SEPARATOR);
  return {
    body: Buffer.from(RESULT_START + text + RESULT_END),
    rowCount: rows.length,
    truncated,
    rowsRead: 10,
    bytesRead: 100,
    clickhouseMs: 1.5,
  };
}

/** Stands in for ClickHouse: keeps what it was asked, and answers as told; without being told, no rows. */
export class FakeRunQuery {
  readonly requests: QueryRequest[] = [];
  private respond: RunQuery = () => Promise.resolve(resultOf([]));

  readonly run: RunQuery = (request) => {
    this.requests.push(request);
    return this.respond(request);
  };

  returnRows(rows: readonly object[], truncated = false): void {
    this.respond = () => Promise.resolve(resultOf(rows, truncated));
  }

  fail(error: Error): void {
    this.respond = () => Promise.reject(error);
  }

  /** From now on a query answers with what the function gives. */
  respondWith(respond: RunQuery): void {
    this.respond = respond;
  }

  /** The only request that there was. */
  get onlyRequest(): QueryRequest {
    const [request, ...more] = this.requests;
    if (!request || more.length > 0) throw new Error(`there were ${this.requests.length} requests`);
    return request;
  }
}
