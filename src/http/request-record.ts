import { Failure, type ErrorCode } from '../errors.js';
import type { RequestRecord } from '../observability/request-record.js';
import type { CompletedRequest } from './access-log.js';
import type { RequestContext } from './request-context.js';

/** A finished request as a row of the request log, without parameters and without the key. */
export function recordOf({ context, status, totalMs }: CompletedRequest, now: Date): RequestRecord {
  const { requestId, endpoint, principal, cache, rows } = context;
  return {
    timestamp: now.toISOString(),
    request_id: requestId,
    endpoint: endpoint ?? '',
    ...queryOf(context),
    key_name: principal?.name ?? '',
    status,
    code: codeOf(context),
    cache: cache ?? '',
    row_count: rows ?? 0,
    total_ms: rounded(totalMs),
    ...costOf(context),
  };
}

function queryOf({ query = NO_QUERY }: RequestContext): Pick<RequestRecord, 'definition' | 'parameters'> {
  const { digest, hash } = query;
  return { definition: digest.slice(0, DIGEST_LENGTH), parameters: hash.slice(0, DIGEST_LENGTH) };
}

type Cost = Pick<RequestRecord, 'query_id' | 'rows_read' | 'bytes_read' | 'waiting_ms' | 'clickhouse_ms'>;

function costOf({ cost = NO_COST, clickhouseMs = 0 }: RequestContext): Cost {
  return {
    query_id: cost.queryId,
    rows_read: cost.rowsRead,
    bytes_read: cost.bytesRead,
    waiting_ms: rounded(cost.waitingMs),
    clickhouse_ms: rounded(clickhouseMs),
  };
}

const NO_QUERY = { digest: '', hash: '' };
const NO_COST = { queryId: '', rowsRead: 0, bytesRead: 0, waitingMs: 0 };

/** Hexadecimal digits of a stored digest; enough to avoid collisions. */
const DIGEST_LENGTH = 32;

/** The failure's code; for a partial 200, the code of what made it partial. */
function codeOf({ failure, partial }: RequestContext): string {
  if (failure === undefined) return partial ? ('SHARD_UNREACHABLE' satisfies ErrorCode) : '';
  return failure instanceof Failure ? failure.code : 'INTERNAL';
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
