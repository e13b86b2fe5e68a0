import { Figures, OPERATORS } from '../../../endpoint/figures.js';
import { Failure, type ErrorCode } from '../../errors.js';
import { isoTime } from '../../observability/iso-time.js';
import type { RequestRecord } from '../../observability/request-record.js';
import type { BackgroundQuery } from '../../query/ports.js';
import type { CompletedRequest } from './access-log.js';
import type { RequestContext } from './request-context.js';

/** A finished request as a row of the request log, without parameters and without the key. */
export function recordOf(
  { context, status, totalMs, bytesSent }: CompletedRequest,
  now: Date,
): RequestRecord {
  const { query = NO_QUERY, caused = NONE, charged = NOTHING_CHARGED, saved = NONE.cost } = context;
  const cost = caused.cost.readBy(OPERATORS);
  return {
    timestamp: isoTime(now.getTime()),
    request_id: context.requestId,
    query_id: caused.queryId,
    endpoint: context.endpoint ?? '',
    definition: query.digest.slice(0, DIGEST_LENGTH),
    parameters: query.hash.slice(0, DIGEST_LENGTH),
    key_name: context.principal?.name ?? '',
    status,
    code: codeOf(context),
    cache: context.cache ?? '',
    row_count: context.rows ?? 0,
    rows_read: cost.rowsRead,
    bytes_read: cost.bytesRead,
    total_ms: rounded(totalMs),
    waiting_ms: rounded(caused.waitingMs),
    clickhouse_ms: rounded(cost.clickhouseMs),
    purpose: 'call',
    bytes_sent: bytesSent,
    saved_rows: saved.readBy(OPERATORS).rowsRead,
    saved_bytes: saved.readBy(OPERATORS).bytesRead,
    ...chargedTo(charged),
  };
}

/** A query for which no caller waited alone, as a row of the request log: it is no request. */
export function backgroundRecordOf(
  { purpose, endpoint, queryId = '', cost, callers = 1, caller = '' }: BackgroundQuery,
  now: Date,
): RequestRecord {
  const { rowsRead, bytesRead, clickhouseMs } = cost.readBy(OPERATORS);
  return {
    timestamp: isoTime(now.getTime()),
    query_id: queryId,
    endpoint,
    purpose,
    rows_read: rowsRead,
    bytes_read: bytesRead,
    clickhouse_ms: rounded(clickhouseMs),
    ...NO_REQUEST,
    key_name: caller,
    ...chargedTo({ cost, callers }),
  };
}

type Charged = Pick<RequestRecord, 'charged_rows' | 'charged_bytes' | 'charged_ms'>;

function chargedTo({ cost, callers }: NonNullable<RequestContext['charged']>): Charged {
  const { rowsRead, bytesRead, clickhouseMs } = cost.readBy(OPERATORS);
  return {
    charged_rows: rounded(rowsRead / callers),
    charged_bytes: rounded(bytesRead / callers),
    charged_ms: rounded(clickhouseMs / callers),
  };
}

/** Hexadecimal digits of a stored digest; enough to avoid collisions. */
const DIGEST_LENGTH = 32;

const NO_QUERY = { digest: '', hash: '' };
const NONE = {
  queryId: '',
  cost: new Figures({ rowsRead: 0, bytesRead: 0, clickhouseMs: 0 }),
  waitingMs: 0,
};

const NOTHING_CHARGED = { cost: NONE.cost, callers: 1 };

const NO_REQUEST = {
  request_id: '',
  definition: '',
  parameters: '',
  key_name: '',
  status: 0,
  code: '',
  cache: '',
  row_count: 0,
  total_ms: 0,
  waiting_ms: 0,
  bytes_sent: 0,
  saved_rows: 0,
  saved_bytes: 0,
};

/** The failure's code; for a partial 200, the code of what made it partial. */
function codeOf({ failure, partial }: RequestContext): string {
  if (failure === undefined) return partial ? ('SHARD_UNREACHABLE' satisfies ErrorCode) : '';
  return failure instanceof Failure ? failure.code : 'INTERNAL';
}

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
