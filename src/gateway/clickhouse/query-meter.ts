import type { IncomingHttpHeaders } from 'node:http';

import { Figures } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { Failure } from '../errors.js';
import { sumOfCosts } from '../query/sum-of-costs.js';

type Summary = Readonly<Partial<Record<'read_rows' | 'read_bytes' | 'result_rows' | 'elapsed_ns', string>>>;

/** Facts about a query from the header of ClickHouse's response, which may have rows or an error. */
export interface ReportedSummary {
  readonly resultRows: number;
  readonly cost: Figures<QueryCost>;
}

/** Reads the summary. Undefined if a server that is not ClickHouse responds. */
export function summaryOf(headers: IncomingHttpHeaders): ReportedSummary | undefined {
  const header = headers['x-clickhouse-summary'];
  if (header === undefined) return undefined;
  try {
    const { read_rows, read_bytes, result_rows, elapsed_ns } = JSON.parse(String(header)) as Summary;
    const [rowsRead, bytesRead] = [Number(read_rows ?? 0), Number(read_bytes ?? 0)];
    const cost = new Figures({ rowsRead, bytesRead, clickhouseMs: Number(elapsed_ns ?? 0) / 1e6 });
    return { resultRows: Number(result_rows), cost };
  } catch {
    return undefined;
  }
}

/** Measures the cost of a call's queries. An early end must not make them free: otherwise a caller could read at no cost. */
export class QueryMeter {
  /** Rows and bytes that the caller of an export has received. ClickHouse has read at least as many. */
  sent: (() => Pick<QueryCost, 'rowsRead' | 'bytesRead'>) | undefined;
  private readonly costs: Figures<QueryCost>[] = [];
  /** Time at which the last query without a reported cost was sent (`performance.now()`). Undefined where there is none. */
  private sentAt: number | undefined;

  start(): void {
    this.sentAt = performance.now();
  }

  end(cost: Figures<QueryCost>): void {
    this.costs.push(cost);
    this.sentAt = undefined;
  }

  /** Adds the cost of the queries so far to a failure. Time in which ClickHouse does not respond is not the caller's cost. */
  charged(failure: Failure): Failure {
    const { code, message, details } = failure;
    if (code === 'CLICKHOUSE_UNREACHABLE' || code === 'CLICKHOUSE_UNAVAILABLE') return failure;
    const clickhouseMs = this.sentAt === undefined ? 0 : performance.now() - this.sentAt;
    const { rowsRead, bytesRead } = this.sent?.() ?? { rowsRead: 0, bytesRead: 0 };
    const cost = sumOfCosts([...this.costs, new Figures({ rowsRead, bytesRead, clickhouseMs })]);
    return new Failure(code, message, { ...details, cost });
  }
}
