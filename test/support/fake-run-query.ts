import { Figures } from '../../src/endpoint/figures.js';
import type { QueryCost } from '../../src/endpoint/limit-rules.js';
import { RESULT_END, RESULT_START, ROW_SEPARATOR } from '../../src/gateway/formats/template-format.js';
import type { QueryRequest, QueryResult, RunQuery } from '../../src/gateway/query/ports.js';

/** Builds what a query cost: 10 rows, 100 bytes and 1.5 ms, where nothing else is said. */
export function costOf(figures: Partial<QueryCost>): Figures<QueryCost> {
  return new Figures({ rowsRead: 10, bytesRead: 100, clickhouseMs: 1.5, ...figures });
}

/** Builds a query result in ClickHouse's output format. */
export function resultOf(rows: readonly object[], truncated = false): QueryResult {
  const text = rows.map((row) => JSON.stringify(row)).join(ROW_SEPARATOR);
  return {
    body: Buffer.from(RESULT_START + text + RESULT_END),
    rowCount: rows.length,
    truncated,
    cost: costOf({}),
  };
}

/** Fakes ClickHouse: records the query requests and returns what the test sets, by default no rows. */
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

  /** Runs every query from now on with this function. */
  respondWith(respond: RunQuery): void {
    this.respond = respond;
  }

  /** The only request so far. @throws Error if there is not exactly one. */
  get onlyRequest(): QueryRequest {
    const [request, ...more] = this.requests;
    if (!request || more.length > 0)
      throw new Error(`expected one query request, got ${this.requests.length}`);
    return request;
  }
}
