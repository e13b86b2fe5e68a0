import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

import type { Principal } from '../../auth/principal.js';
import { Failure } from '../../errors.js';
import type { Tracing } from '../../observability/tracing.js';
import { authorize, principalOfPresented, type Credentials } from '../call/credentials.js';
import { subjectsOf } from '../call/limit-requests.js';
import type { AccessLog } from '../transport/access-log.js';
import { traceRequests } from '../transport/every-response.js';
import { requireWellFormed } from '../transport/malformed-head.js';
import { openContext, requestIdOf, type RequestContext } from '../transport/request-context.js';
import { Turns } from '../transport/turns.js';
import { runStatement, type StatementParts } from './run-statement.js';
import { sendSqlError } from './sql-error.js';
import { optionsOf, readSqlRequest, sqlCredentials } from './sql-request.js';

/** The dependencies of the SQL listener. */
export interface SqlParts extends StatementParts {
  readonly credentials: Credentials;
  readonly log: AccessLog;
  readonly tracing?: Pick<Tracing, 'begin'> | undefined;
}

/** Paths of probes, and of a request without a statement. */
const PROBES: ReadonlySet<string> = new Set(['/ping', '/replicas_status']);

/**
 * Creates the listener that serves the endpoints that are tables over ClickHouse's HTTP protocol
 * (https://clickhouse.com/docs/interfaces/http).
 */
export function createSqlListener(sqlParts: SqlParts): RequestListener {
  const parts = { ...sqlParts, turns: new Turns(1) };
  const traced = parts.tracing && traceRequests(parts.tracing);
  return (request, response) => {
    const requestId = requestIdOf(request.headers['x-request-id']?.toString());
    const context: RequestContext = { requestId, startedAt: performance.now(), tool: toolOf(request) };
    openContext(request, context);
    const closed = new Promise((resolve) => response.once('close', resolve));
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    const work = async (): Promise<void> => {
      await respond(parts, request, response, context).catch((error: unknown) => {
        const isFramed = optionsOf(request).get('compress') === '1';
        sendSqlError(response, context, error, { isFramed, version: parts.serverVersion.known });
      });
      // The cost of a statement is known only after its last row was sent.
      await closed;
      parts.log.note(request, response, request.url ?? '/', context);
    };
    if (traced) traced(request, response, () => void work());
    else void work();
  };
}

/** Maximum characters of a logged User-Agent. */
const MAX_TOOL = 100;

/** User-Agent of the client, without characters that a line of the request log would have to escape. */
const toolOf = ({ headers }: IncomingMessage): string | undefined =>
  headers['user-agent']?.slice(0, MAX_TOOL).replaceAll(/[^ -[\]-~]/g, '?');

async function respond(
  parts: SqlParts & { readonly turns: Turns },
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): Promise<void> {
  const [path = '/'] = (request.url ?? '/').split('?', 1);
  const search = optionsOf(request);
  requireWellFormed(request);
  const isEmpty = request.method !== 'POST' && !search.has('query');
  if (PROBES.has(path) || (path === '/' && isEmpty)) {
    response.setHeader('Content-Type', 'text/plain; charset=UTF-8').end('Ok.\n');
    return;
  }
  if (path !== '/') throw new Failure('NOT_FOUND', 'This path does not exist. Send statements to /.');
  const { key, user } = sqlCredentials(request, search);
  const authenticate = (): Promise<Principal> => authenticated(parts, request, key);
  const principal = await authenticate();
  context.principal = principal;
  const { limiter, endpoints } = parts;
  context.limits = await limiter.admitRequest(subjectsOf(endpoints, principal));
  const sent = await readSqlRequest(request, search);
  // The next step takes up to a millisecond. A turn of the event loop before it lets calls run between a dashboard's statements.
  await new Promise<void>((resolve) => {
    parts.turns.run(resolve);
  });
  await runStatement(parts, { request, response, context, principal, authenticate, sent, user });
}

/** @throws Failure */
async function authenticated(
  { credentials }: SqlParts,
  request: IncomingMessage,
  key: string | undefined,
): Promise<Principal> {
  if (key === undefined) {
    throw new Failure('API_KEY_MISSING', 'The request has no API key. Send it as the password of any user.');
  }
  const principal = await principalOfPresented(credentials, key, request.headers);
  return authorize(credentials, principal, request);
}
