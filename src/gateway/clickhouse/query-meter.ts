import type { IncomingHttpHeaders } from 'node:http';

import { Figures } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import { Failure } from '../errors.js';
import { sumOfCosts } from '../query/sum-of-costs.js';

type Summary = Readonly<Partial<Record<'read_rows' | 'read_bytes' | 'result_rows' | 'elapsed_ns', string>>>;

/** What ClickHouse reports about a query in the header of its response, whether that has rows or an error. */
export interface ReportedSummary {
  readonly resultRows: number;
  readonly cost: Figures<QueryCost>;
}

/** Undefined if a server that is not ClickHouse responds. */
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

/** Measures the queries of a call, in case it ends early: a caller could read for nothing otherwise. */
export class QueryMeter {
  /** What the caller of an export has got: at least as much was read. */
  sent: (() => Pick<QueryCost, 'rowsRead' | 'bytesRead'>) | undefined;
  private readonly costs: Figures<QueryCost>[] = [];
  /** When the query was sent of which ClickHouse has reported no cost; `performance.now()`. */
  private sentAt: number | undefined;

  start(): void {
    this.sentAt = performance.now();
  }

  end(cost: Figures<QueryCost>): void {
    this.costs.push(cost);
    this.sentAt = undefined;
  }

  /** The failure with what the queries have cost until then. That ClickHouse cannot respond is not the caller's cost. */
  charged(failure: Failure): Failure {
    const { code, message, details } = failure;
    if (code === 'CLICKHOUSE_UNREACHABLE' || code === 'CLICKHOUSE_UNAVAILABLE') return failure;
    const clickhouseMs = this.sentAt === undefined ? 0 : performance.now() - this.sentAt;
    const { rowsRead, bytesRead } = this.sent?.() ?? { rowsRead: 0, bytesRead: 0 };
    const cost = sumOfCosts([...this.costs, new Figures({ rowsRead, bytesRead, clickhouseMs })]);
    return new Failure(code, message, { ...details, cost });
  }
}
