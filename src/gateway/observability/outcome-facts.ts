import type { Figures } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import type { CacheStatus, CallOutcome } from '../query/call.js';
import type { ExportOutcome } from '../query/ports.js';

/** What the log, the request log, the metrics and `Server-Timing` report of the outcome of a call. */
export interface OutcomeFacts {
  readonly rows?: number | undefined;
  readonly cache?: CacheStatus;
  /** Set where the rows of a shard are missing from the response. */
  readonly partial?: true | undefined;
  /** Bytes of a complete export, before any compression. */
  readonly exportedBytes?: number;
  /** Cost of the query for whose result this request waited, wherever that ran. */
  readonly awaited?: Figures<QueryCost> | undefined;
  /** The query that this request caused. */
  readonly caused?:
    | {
        readonly queryId: string;
        readonly cost: Figures<QueryCost>;
        /** Milliseconds in the query queue. */
        readonly waitingMs: number;
      }
    | undefined;
  /** Cost of the query that this request caused or waited for, and how many callers share the cost. */
  readonly charged?: { readonly cost: Figures<QueryCost>; readonly callers: number } | undefined;
  /** Cost of the queries whose cached pieces this request used; absent unless it composed its result. */
  readonly saved?: Figures<QueryCost> | undefined;
}

/** The facts of an outcome. They include the query only where this call caused the query or waited for it. */
export function factsOf({ result, status, isCollapsed, callers = 0, spent }: CallOutcome): OutcomeFacts {
  const { rowCount: rows, partial, queryId = '', cost, waitingMs = 0, pieces } = result;
  if (status === 'HIT') return { rows, cache: status, partial };
  if (status === 'STALE') return { rows, cache: status, partial, ...(spent && factsOfFailed(spent)) };
  return {
    ...{ rows, cache: status, partial, awaited: cost },
    charged: callers > 0 ? { cost, callers } : undefined,
    ...(!isCollapsed && { caused: { queryId, cost, waitingMs }, saved: pieces?.saved }),
  };
}

export function factsOfExport({ rowCount, bytes, cost, queryId, waitingMs }: ExportOutcome): OutcomeFacts {
  return {
    ...{ rows: rowCount, cache: 'BYPASS', exportedBytes: bytes },
    ...(cost && { awaited: cost, caused: { queryId, cost, waitingMs }, charged: { cost, callers: 1 } }),
  };
}

/** Costs that {@link factsOfFailed} has charged. */
const charged = new WeakSet<Figures<QueryCost>>();

/**
 * The facts of a query whose result is of no use, for a request that waited for it. All who waited have the same cost, and the first is
 * charged. There is no id, because ClickHouse gives none of a query that ended early.
 */
export function factsOfFailed(cost: Figures<QueryCost>): OutcomeFacts {
  if (charged.has(cost)) return { awaited: cost };
  charged.add(cost);
  return { awaited: cost, caused: { queryId: '', cost, waitingMs: 0 }, charged: { cost, callers: 1 } };
}
