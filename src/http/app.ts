import cors from 'cors';
import express, { Router, type Express, type RequestHandler } from 'express';
import helmet from 'helmet';

import type { EndpointRegistry } from '../endpoint/registry.js';
import { Failure } from '../errors.js';
import type { RunEndpoint } from '../execution/run-endpoint.js';
import type { Logger } from '../log/logger.js';
import { logAccess } from './access-log.js';
import { authenticate, type FindKey } from './authenticate.js';
import { callEndpoint } from './call-endpoint.js';
import { describeEndpoint, listEndpoints } from './describe-endpoints.js';
import { answerLive, answerReady, type IsClickHouseUp } from './health.js';
import { answerProblem } from './problem.js';
import { assignRequestId } from './request-id.js';

/** What the HTTP interface stands on. */
export interface AppParts {
  readonly endpoints: EndpointRegistry;
  readonly runEndpoint: RunEndpoint;
  readonly findKey: FindKey;
  readonly isClickHouseUp: IsClickHouseUp;
  readonly isDraining: () => boolean;
  readonly logger: Logger;
  /** Origins whose pages may read answers; none: no CORS headers at all. */
  readonly corsOrigins: readonly string[];
}

/** Answers are data: nothing in them may run, be framed or be sniffed. TLS, and so HSTS, is the proxy's in front. */
const SECURITY_HEADERS = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
});

/** The Express application: the way of every request, from top to bottom. */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('case sensitive routing', true);
  app.use(assignRequestId(), logAccess(parts.logger), SECURITY_HEADERS);
  if (parts.corsOrigins.length > 0) app.use(allowOrigins(parts.corsOrigins));
  app.use('/health', healthRoutes(parts));
  app.use('/api', authenticate(parts.findKey), endpointRoutes(parts));
  app.use(() => {
    throw new Failure('NOT_FOUND', 'There is nothing at this path. The endpoints are below /api/endpoints.');
  });
  app.use(answerProblem());
  return app;
}

function endpointRoutes({ endpoints, runEndpoint }: AppParts): Router {
  const router = Router({ caseSensitive: true });
  router.route('/endpoints').get(listEndpoints(endpoints)).all(refuseMethod());
  router.route('/endpoints/:idOrName').get(describeEndpoint(endpoints)).all(refuseMethod());
  router.route('/endpoints/query/:idOrName').get(callEndpoint(endpoints, runEndpoint)).all(refuseMethod());
  return router;
}

function healthRoutes({ isClickHouseUp, isDraining }: AppParts): Router {
  const router = Router({ caseSensitive: true });
  router.route('/live').get(answerLive()).all(refuseMethod());
  router.route('/ready').get(answerReady(isClickHouseUp, isDraining)).all(refuseMethod());
  return router;
}

function allowOrigins(origins: readonly string[]): RequestHandler {
  return cors({
    origin: [...origins],
    methods: ['GET', 'HEAD'],
    exposedHeaders: [
      'X-Request-Id',
      'X-Row-Count',
      'X-Truncated',
      'X-Cache',
      'Cache-Status',
      'Age',
      'Retry-After',
    ],
    maxAge: 600,
  });
}

function refuseMethod(): RequestHandler {
  return (request) => {
    throw new Failure('METHOD_NOT_ALLOWED', `${request.method} is not allowed here; GET and HEAD are.`, {
      allow: ['GET', 'HEAD'],
    });
  };
}
