import { isIP } from 'node:net';
import express, { Router, type ErrorRequestHandler, type Express, type RequestHandler } from 'express';

import { Failure } from '../../errors.js';
import { describeError, type Logger } from '../../observability/logger.js';
import { serveConsole } from '../describe/console.js';
import { sendProblem } from '../transport/problem.js';
import { rejectMethod, rejectMethodsExcept } from '../transport/reject-method.js';
import { contextOf, openContext, requestIdOf } from '../transport/request-context.js';
import { SECURITY_HEADERS } from '../transport/every-response.js';
import { requireWellFormed } from '../transport/malformed-head.js';
import type { AdminParts } from './admin-parts.js';
import { describeCalls } from './describe-calls.js';
import { describeCache } from './describe-cache.js';
import { describeKeys } from './describe-keys.js';
import { describeReload } from './describe-reload.js';
import { describeUsage } from './describe-usage.js';
import { describeWarming } from './describe-warming.js';
import { makeLink } from './make-link.js';
import { readPurgeScopes } from './purge-scope.js';

/** The admin API and page: cache, warming, keys, metrics. It needs no key: whoever can reach its port may use it. */
export function createAdminApp(parts: AdminParts): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use(beginResponse(), rejectOtherHosts(parts.hosts));
  // Before rejectOtherSites: browsers send Origin when they load a page's own modules, and the files hold no secrets.
  if (parts.consoleFolder !== undefined) app.use(serveConsole(parts.consoleFolder, 'admin.html'));
  app.use(protectResponses());
  // Parses a body of any Content-Type as JSON: an ignored body would count as empty, and an empty purge deletes everything.
  app.use(express.json({ limit: '64kb', type: () => true }), rejectBody(), rejectOtherSites());
  app.use(routes(parts));
  app.use(() => {
    throw new Failure(
      'NOT_FOUND',
      'This path does not exist. Use /endpoints, /endpoints/reload, /cache, /cache/purge, /warming, /warming/run, /calls, ' +
        '/calls/ID/cancel, /keys, /usage, /links, /errors or /metrics.',
    );
  });
  app.use(logInternalError(parts.logger), sendProblem());
  return app;
}

function beginResponse(): RequestHandler {
  return (request, response, next) => {
    const requestId = requestIdOf(request.get('x-request-id'));
    openContext(request, { requestId, startedAt: performance.now() });
    response.set('X-Request-Id', requestId);
    requireWellFormed(request);
    next();
  };
}

/** Response headers against caching, sniffing and framing, because responses have names of keys and parameters of callers. */
function protectResponses(): RequestHandler {
  return (_request, response, next) => {
    response.set(Object.fromEntries(SECURITY_HEADERS));
    response.set('Cache-Control', 'no-store');
    next();
  };
}

/**
 * Rejects other host names against DNS rebinding: a page whose name resolves to this machine can read this port as its own. Hosts in a
 * local network can claim any name without a dot, of `.local` and others, so that only configured names are accepted. Metrics have no
 * such check, because any collector may read them.
 */
function rejectOtherHosts(hosts: readonly string[] = []): RequestHandler {
  const known = new Set(['localhost', ...hosts.map((host) => host.toLowerCase())]);
  return (request, response, next) => {
    const { hostname, path } = request;
    // Browsers always send a Host header.
    const host = (hostname as string | undefined)?.toLowerCase().replace(/^\[|\]$/g, '');
    if (host === undefined || known.has(host) || isIP(host) !== 0 || path === METRICS) {
      next();
      return;
    }
    response.set(Object.fromEntries(SECURITY_HEADERS));
    throw new Failure(
      'FORBIDDEN',
      'The admin API is not for this Host. Use an IP address or localhost, or list the name in ADMIN_HOSTS.',
    );
  };
}

/** Rejects POSTs of pages of other sites, which an administrator's browser would send to this port with the `Origin` of the page. */
function rejectOtherSites(): RequestHandler {
  return (request, _response, next) => {
    const { origin, host } = request.headers;
    if (origin !== undefined && !isOriginOf(origin, host) && request.path !== METRICS) {
      throw new Failure(
        'FORBIDDEN',
        'Pages of other sites may not use the admin API. Send no Origin but that of this port.',
      );
    }
    next();
  };
}

const METRICS = '/metrics';

/** Whether an origin has this host and port, as that of the admin page. */
function isOriginOf(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

/** Handles the errors of the body parser. */
function rejectBody(): ErrorRequestHandler {
  return (cause: unknown, _request, _response, next) => {
    const isOfBody = !(cause instanceof Failure);
    next(
      isOfBody
        ? new Failure('BAD_REQUEST', 'The body must be a JSON object of at most 64 KiB.', { cause })
        : cause,
    );
  };
}

/** Logs an error that is not a `Failure`, because the response does not contain its cause. */
function logInternalError(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, _response, next) => {
    const { requestId } = contextOf(request);
    if (!(error instanceof Failure)) {
      logger.error('admin API failed', { requestId, ...describeError(error) });
    }
    next(error);
  };
}

function routes(parts: AdminParts): Router {
  const { endpoints, cache, hits, metrics, warmer, reloader } = parts;
  const { rejectionsOf = () => [] } = parts;
  const router = Router();
  const get = (path: string, handler: RequestHandler): void => {
    router.route(path).get(handler).all(rejectMethod());
  };
  const post = (path: string, handler: RequestHandler): void => {
    router.route(path).post(handler).all(rejectMethodsExcept('POST'));
  };
  const sendWarming: RequestHandler = (_request, response) => {
    response.json({ sets: describeWarming(warmer.state()) });
  };
  get('/endpoints', (_request, response) => {
    response.json(describeReload(endpoints, reloader, rejectionsOf));
  });
  post('/endpoints/reload', async (request, response) => {
    const { ok, problems, isNotAnalysed } = await reloader.reload({
      force: isForced(request.query['force']),
    });
    if (isNotAnalysed) throw endpointsNotAnalysed(problems);
    if (!ok) throw invalidEndpoints(problems);
    response.json(describeReload(endpoints, reloader, rejectionsOf));
  });
  get('/cache', (_request, response) => {
    response.json(describeCache(endpoints, cache, hits.all()));
  });
  post('/cache/purge', purge(parts));
  get('/warming', sendWarming);
  post('/warming/run', async (...args) => {
    await warmer.tick({ all: true });
    await sendWarming(...args);
  });
  get('/calls', (_request, response) => {
    response.json({ calls: describeCalls(parts.runningCalls.all(), parts.clock().getTime()) });
  });
  post('/calls/:id/cancel', cancel(parts));
  get('/keys', (_request, response) => {
    response.json(describeKeys(parts));
  });
  get('/usage', async (request, response) => {
    response.json({ usage: await describeUsage(parts, contextOf(request).requestId) });
  });
  post('/links', (request, response) => {
    response.json(makeLink(parts, request.body));
  });
  get('/errors', (_request, response) => {
    response.json({ failures: metrics.failures.all() });
  });
  get(METRICS, async (_request, response) => {
    response.set('Content-Type', metrics.registry.contentType).send(await metrics.registry.metrics());
  });
  return router;
}

/** @throws Failure NOT_FOUND */
function cancel({ runningCalls, logger }: AdminParts): RequestHandler {
  return (request, response) => {
    const id = String(request.params['id']);
    const cancelled = runningCalls.cancel(id);
    if (!cancelled)
      throw new Failure('NOT_FOUND', 'No call with this id runs. GET /calls lists those that run.');
    logger.info('call cancelled', { call: id, key: cancelled.caller });
    response.json({ cancelled: id });
  };
}

function invalidEndpoints(fileProblems: readonly object[]): Failure {
  return new Failure(
    'ENDPOINTS_INVALID',
    'Files are invalid, and what was served before stays in their place. Correct what problems lists, and reload again.',
    { fileProblems },
  );
}

/** @throws Failure BAD_REQUEST */
function isForced(force: unknown): boolean {
  if (force === undefined || force === '0') return false;
  if (force === '1') return true;
  throw new Failure('BAD_REQUEST', 'force must be 1, or be omitted.');
}

function endpointsNotAnalysed(fileProblems: readonly object[]): Failure {
  return new Failure(
    'CLICKHOUSE_UNREACHABLE',
    'ClickHouse did not analyse the changed endpoints, and what was served before stays in their place. Reload again when ' +
      'it responds, or with ?force=1 to serve them as they are.',
    { fileProblems, retryAfterSeconds: 5 },
  );
}

function purge({ endpoints, clock, seal, cache, logger }: AdminParts): RequestHandler {
  return async (request, response) => {
    const scopes = readPurgeScopes({ endpoints, clock, seal }, request.body);
    const complete = await Promise.all(scopes.map((scope) => cache.purge(scope)));
    if (complete.includes(false)) throw purgeIncomplete();
    const [scope] = scopes;
    logger.info('cache purged', { ...scope });
    response.json({ purged: scope });
  };
}

/** The failure of a purge that did not reach every gateway. The gateway retries Redis every few seconds and then sends the purge. */
function purgeIncomplete(): Failure {
  return new Failure(
    'PURGE_INCOMPLETE',
    'This gateway has purged its results, but Redis did not accept the purge. Until Redis responds, other gateways may ' +
      'return earlier results. Purge again to get a confirmation.',
    { retryAfterSeconds: 5 },
  );
}
