import type { IncomingMessage, ServerResponse } from 'node:http';

import type { QueryLimits } from '../../../endpoint/definition.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import type { Seal } from '../../../endpoint/parameters/secret-value.js';
import { mayCallWithPins, scopeOf } from '../../auth/pinned-parameters.js';
import type { Principal } from '../../auth/principal.js';
import type { Limiter } from '../../limits/limiter.js';
import { EVERY_ROW } from '../../query/row-scope.js';
import { allowsStale } from '../../query/execute-call.js';
import { knownAt } from '../../query/endpoint-result.js';
import { executeStatement, type StatementExecution } from '../../query/execute-statement.js';
import type { HitCounter } from '../../query/hit-counts.js';
import type { SingleFlightCaller } from '../../query/single-flight.js';
import type { RunScheduledStatement, StatementRequest } from '../../query/ports.js';
import type { CheckStatement } from '../../tables/check-statement.js';
import { compileStatement, type CompiledStatement } from '../../tables/compile-statement.js';
import { isUsedIn, namesOf, tablesOf, type KeyTables } from '../../tables/key-tables.js';
import { readStatement } from '../../tables/read-statement.js';
import { hasSecret, keyOfStatement } from '../../tables/statement-key.js';
import { DATABASE } from '../../tables/table-name.js';
import type { ServerVersion } from '../../tables/server-version.js';
import type { CheckZone } from '../../tables/session-zone.js';
import { CODES, StatementProblem, type SelectStatement } from '../../tables/statement.js';
import { clientDisconnected } from '../call/call-endpoint.js';
import { requesterOf, subjectsOf } from '../call/limit-requests.js';
import { factsOf, factsOfExport } from '../../observability/outcome-facts.js';
import type { RunningCalls } from '../call/running-calls.js';
import { whileAccepted } from '../call/while-accepted.js';
import type { RequestContext } from '../transport/request-context.js';
import { readClientSettings, type ClientSettings } from './client-settings.js';
import { statementId, type RecentTimeouts } from './recent-timeouts.js';
import { cacheDemandOf } from '../result/cache-headers.js';
import { openSqlSink, sendWhole } from './send-rows.js';
import { sendSqlError } from './sql-error.js';
import type { SqlRequest } from './sql-request.js';

/** The dependencies of statements. */
export interface StatementParts extends StatementExecution {
  readonly endpoints: Endpoints;
  readonly limiter: Limiter;
  readonly hits: Pick<HitCounter, 'count'>;
  readonly seal?: Seal | undefined;
  readonly checkStatement: CheckStatement;
  readonly checkZone: CheckZone;
  readonly runningCalls: RunningCalls;
  readonly recentTimeouts: RecentTimeouts;
  readonly limits: { readonly maxRows: number; readonly timeoutMs: number };
  readonly serverVersion: Pick<ServerVersion, 'known' | 'read'>;
}

/** A request with a statement, of an authenticated client. */
export interface StatementCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly context: RequestContext;
  readonly principal: Principal;
  /** Authenticates the request again. @throws Failure */
  readonly authenticate: () => Promise<Principal>;
  readonly sent: SqlRequest;
  readonly user: string;
}

/** Runs the statement of a request, and sends its rows. @throws StatementProblem or Failure */
export async function runStatement(parts: StatementParts, call: StatementCall): Promise<void> {
  const { request, response, context, principal, sent, user } = call;
  const { endpoints, clock, limits, runningCalls } = parts;
  const options = new Map([...optionsInHeaders(request), ...sent.options]);
  const tables = tablesOf(endpoints, principal, clock().getTime());
  await parts.serverVersion.read();
  const named = { user, database: DATABASE, isUsed: isUsedIn(tables) };
  const statement = readStatement(sent.sql, namesOf(tables, options.get('database')), named);
  if (statement.kind === 'kill') {
    runningCalls.kill(principal.name, statement.queryId);
    response.end();
    return;
  }
  // SET readonly is accepted without effect, because every statement is read-only.
  const own = new Map(
    [...statement.settings].filter(([name]) => statement.kind === 'select' || name !== 'readonly'),
  );
  const client = readClientSettings(options, own, {
    ...limits,
    isPinned: isPinned(principal),
  });
  // Node throws for a header with other characters.
  const queryId = (client.queryId ?? context.requestId).replaceAll(/[^ -~]/g, '?');
  response.setHeader('X-ClickHouse-Query-Id', queryId);
  response.setHeader('X-ClickHouse-Server-Display-Name', DATABASE);
  if (statement.kind === 'nothing') {
    response.end();
    return;
  }
  const words = isPinned(principal) ? undefined : statement.words;
  const id = statementId(principal, sent);
  try {
    parts.recentTimeouts.requireNone(id);
    await runSelect(parts, call, { statement, tables, client, words });
  } catch (error) {
    parts.recentTimeouts.note(id, error);
    const { isFramed } = client;
    sendSqlError(response, context, error, { words, isFramed, version: parts.serverVersion.known });
  }
}

/** A SELECT with its tables and settings. */
interface Select {
  readonly statement: SelectStatement & { readonly kind: 'select' | 'describe' };
  readonly tables: KeyTables;
  readonly client: ClientSettings;
  /** Words of the statement, which an error may repeat; undefined for a key with pins. */
  readonly words: ReadonlySet<string> | undefined;
}

async function runSelect(parts: StatementParts, call: StatementCall, select: Select): Promise<void> {
  const { limiter, endpoints, checkStatement, seal, clock, runningCalls } = parts;
  const { response, context, principal, authenticate, sent } = call;
  const { statement, tables, client } = select;
  // Each endpoint once, even where the statement reads it with different arguments.
  const read = [...new Set(statement.reads.flatMap(({ table }) => tables.endpoints.get(table) ?? []))];
  noteEndpoints(context, read);
  const subjects = new Set([undefined, ...read].flatMap((of) => subjectsOf(endpoints, principal, of)));
  // The request was already counted against the limits of the key.
  await limiter.admitRequest([...subjects].filter(({ kind }) => kind === 'endpoint'));
  const wait = whileAccepted(clientDisconnected(response), {
    response,
    principal,
    authenticate,
    isAllowed: (now) => read.every((endpoint) => mayCallWithPins(now, endpoint)),
  });
  // An argument of an endpoint can be a secret value.
  const sql = read.some(hasSecret) ? undefined : sent.sql;
  const running = { endpoints: nameList(read), sql, queryId: client.queryId, tool: context.tool };
  const id = runningCalls.begin(context.requestId, principal.name, running, wait);
  try {
    const { signal } = wait;
    const requester = requesterOf(limiter, principal, [...subjects]);
    const { text, varies } = await checkStatement(statement, read, { signal, requester });
    const compiled = compileStatement(text, statement, {
      ...{ principal, sent: sent.values, now: clock(), seal },
      endpointOf: (table) => tables.endpoints.get(table),
      listed: tables.listed,
    });
    if (client.zone !== undefined) await requireNoZone(parts, compiled, { signal, requester });
    const toRun = requestOf(parts, call, select, { compiled, signal, requester, limits: limitsOf(read) });
    const { reads, queryOver } = compiled;
    const scope = scopeOf(principal);
    const key = keyOfStatement({ request: toRun, reads: statement.reads, read, scope, varies });
    const demand = principal.mayBypassCache ? cacheDemandOf(call.request.headers['cache-control']) : 'any';
    const outcome = await executeStatement(parts, { request: toRun, key, demand, reads, queryOver });
    if (!('result' in outcome)) {
      context.outcome = factsOfExport({ rowCount: undefined, ...outcome });
      return;
    }
    // The client may have disconnected while the result was confirmed.
    if (signal.aborted && !allowsStale(signal.reason)) signal.throwIfAborted();
    const { result } = outcome;
    const exportedBytes = result.bodies.identity.length;
    context.outcome = { ...factsOf(outcome), rows: undefined, exportedBytes };
    for (const { id: of } of read) parts.hits.count(of, outcome.status);
    // The rows of an endpoint that is cached for a number of seconds are not confirmed.
    const isConfirmed = read.every(({ settings }) => settings.untilChanged !== undefined);
    const since = isConfirmed ? knownAt(result) : result.createdAt;
    await sendWhole(call, client, outcome, { now: clock().getTime(), since });
  } finally {
    runningCalls.end(id);
  }
}

/** @throws StatementProblem where the zone of the session would change the rows of an endpoint */
async function requireNoZone(
  { checkZone }: StatementParts,
  { reads }: CompiledStatement,
  caller: SingleFlightCaller,
): Promise<void> {
  for (const { table, text } of reads) {
    if (!(await checkZone(text, caller))) continue;
    throw new StatementProblem(
      CODES.READONLY,
      `The setting session_timezone would change the rows of ${table}, which are written for UTC. Remove it, and convert times with toTimeZone.`,
    );
  }
}

/** The limits of a query over these endpoints: the narrowest of each limit. */
function limitsOf(read: readonly Endpoint[]): QueryLimits {
  const narrowest = new Map<string, number>();
  for (const [name, limit] of read.flatMap(({ settings }) =>
    Object.entries<number>({ ...settings.queryLimits }),
  ))
    narrowest.set(name, Math.min(limit, narrowest.get(name) ?? Infinity));
  return Object.fromEntries(narrowest);
}

function requestOf(
  parts: StatementParts,
  call: StatementCall,
  { statement, client, words }: Select,
  {
    compiled: { query, values },
    limits,
    ...running
  }: Pick<StatementRequest, 'signal' | 'requester'> & {
    readonly compiled: CompiledStatement;
    readonly limits: QueryLimits;
  },
): Parameters<RunScheduledStatement>[0] {
  const seconds = limits.timeoutSeconds ?? Infinity;
  return {
    ...{ query, values, columns: 'unknown', requestId: call.context.requestId },
    ...{ output: client.output(statement.format), rowCap: client.maxRows },
    ...{ limits, timeoutMs: Math.min(parts.limits.timeoutMs, client.timeoutMs, seconds * 1000) },
    openSink: openSqlSink(call.request, call.response, client, { words, version: parts.serverVersion.known }),
    ...running,
  };
}

const isPinned = (principal: Principal): boolean => scopeOf(principal) !== EVERY_ROW;

/** The options in headers, which other clients send in the query string. */
function optionsInHeaders({ headers }: IncomingMessage): readonly (readonly [string, string])[] {
  const named = [
    ['database', headers['x-clickhouse-database']],
    ['default_format', headers['x-clickhouse-format']],
  ] as const;
  return named.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));
}

/** Notes the endpoints for the log. Metrics have the name of the endpoint if there is only one, else a name that no endpoint has. */
function noteEndpoints(context: RequestContext, read: readonly Endpoint[]): void {
  const [first, ...others] = (context.tables = nameList(read));
  if (first !== undefined) context.endpoint = others.length === 0 ? first : '(several)';
}

const nameList = (endpoints: readonly Endpoint[]): readonly string[] => [
  ...new Set(endpoints.map(({ name }) => name)),
];
