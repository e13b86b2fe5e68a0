import type { RequestListener } from 'node:http';
import cors from 'cors';
import express, { Router, type RequestHandler } from 'express';

import { Failure } from '../errors.js';
import { apiDocsRoutes } from './api-docs.js';
import { authenticate } from './authenticate.js';
import type { Credentials } from './credentials.js';
import { limitHeaders } from './header-limits.js';
import { limitRequests } from './limit-requests.js';
import { callEndpoint, type CallParts } from './call-endpoint.js';
import { serveConsole } from './console.js';
import { describeApi } from './describe-api.js';
import { describeEndpoint, listEndpoints } from './describe-endpoints.js';
import { answerLive, answerReady, type ReadyParts } from './health.js';
import { answerProblem } from './problem.js';
import { refuseMethod } from './reject-method.js';
import { contextOf } from './request-context.js';
import { assignRequestId } from './request-id.js';
import { withPathAlone } from './request-target.js';
import type { RequestLog } from './access-log.js';
import { setSecurityHeaders } from './security-headers.js';
import { traceRequests } from './trace-requests.js';
import { RESPONSE_HEADERS } from './openapi/headers.js';
import type { Tracing } from '../observability/tracing.js';
import { requireHost } from './require-host.js';

/** What the HTTP interface stands on. */
export interface AppParts extends CallParts, ReadyParts {
  readonly credentials: Credentials;
  readonly log: RequestLog;
  /** Origins whose pages may read answers; none: no CORS headers at all. */
  readonly corsOrigins: readonly string[];
  /** Absent where nothing is traced. */
  readonly tracing?: Pick<Tracing, 'begin'> | undefined;
  /** Of the gateway. */
  readonly version: string;
  /** Folder of the built console, where there is one. */
  readonly consoleFolder?: string | undefined;
}

/** The Express application: the way of every request, from top to bottom. */
export function createApp(parts: AppParts): RequestListener {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('case sensitive routing', true);
  app.use(assignRequestId(), logWhenOver(parts.log), secure(), limitHeaders(), requireHost());
  if (parts.tracing) app.use(traceRequests(parts.tracing));
  if (parts.corsOrigins.length > 0) app.use(allowOrigins(parts.corsOrigins));
  app.use('/health', healthRoutes(parts));
  app.use(
    '/api',
    authenticate(parts.credentials, parts.endpoints),
    limitRequests(parts.limiter, parts.endpoints),
    endpointRoutes(parts),
  );
  app.use(apiDocsRoutes({ ...parts, describe: (reader) => describeApi({ ...reader, times: parts.times }) }));
  if (parts.consoleFolder !== undefined) app.use(serveConsole(parts.consoleFolder, 'index.html'));
  app.use(() => {
    throw new Failure('NOT_FOUND', 'There is nothing at this path. The endpoints are below /api/endpoints.');
  });
  app.use(answerProblem());
  return withPathAlone(app);
}

function endpointRoutes(parts: AppParts): Router {
  const { endpoints } = parts;
  const router = Router({ caseSensitive: true });
  router.route('/endpoints').get(listEndpoints(endpoints)).all(refuseMethod());
  router.route('/endpoints/:idOrName').get(describeEndpoint(endpoints)).all(refuseMethod());
  router.route('/endpoints/query/:idOrName').get(callEndpoint(parts)).all(refuseMethod());
  return router;
}

function healthRoutes(parts: ReadyParts): Router {
  const router = Router({ caseSensitive: true });
  router.route('/live').get(answerLive()).all(refuseMethod());
  router.route('/ready').get(answerReady(parts)).all(refuseMethod());
  return router;
}

function allowOrigins(origins: readonly string[]): RequestHandler {
  return cors({
    origin: [...origins],
    methods: ['GET', 'HEAD'],
    exposedHeaders: Object.keys(RESPONSE_HEADERS),
    maxAge: 600,
  });
}

/** One line when the answer is out, or the caller gone. */
function logWhenOver(log: RequestLog): RequestHandler {
  return (request, response, next) => {
    response.once('close', () => {
      log.note(request, response, request.originalUrl, contextOf(request));
    });
    next();
  };
}

function secure(): RequestHandler {
  return (_request, response, next) => {
    setSecurityHeaders(response);
    next();
  };
}
