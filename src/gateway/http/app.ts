import type { RequestListener } from 'node:http';

import express, { Router } from 'express';

import { Failure } from '../errors.js';
import type { ApiParts } from './api-parts.js';
import { apiDocsRoutes } from './describe/api-docs.js';
import { authenticate } from './call/credentials.js';
import { callEndpoint } from './call/call-endpoint.js';
import { serveConsole } from './describe/console.js';
import { describeEndpoint, listEndpoints } from './describe/describe-endpoints.js';
import { developmentRoutes, noDevelopment, type DevelopmentSource } from './describe/development-routes.js';
import { respondLive, respondReady, type ReadyParts } from './transport/health.js';
import { limitRequests } from './call/limit-requests.js';
import { linkRoutes } from './call/link-routes.js';
import type { McpOptions } from './mcp/mcp-parts.js';
import { mcpRoutes } from './mcp/mcp-routes.js';
import { resourceMetadataRoutes } from './mcp/resource-metadata.js';
import { messagesOf, type ListenerWithMessages } from './transport/messages.js';
import { sendProblem } from './transport/problem.js';
import { rejectMethod } from './transport/reject-method.js';
import type { EveryResponse } from './transport/every-response.js';
import { readBody, readTarget } from './call/sent-call.js';

/** The parts of the public API, and those that depend on the deployment. */
export interface AppParts extends ApiParts {
  readonly everyResponse: EveryResponse;
  /** Options of MCP; absent where it is disabled. */
  readonly mcp?: McpOptions | undefined;
  /** Folder of the built console; undefined where it is not built. */
  readonly consoleFolder?: string | undefined;
  /** State of a development server; absent in other gateways. */
  readonly development?: DevelopmentSource | undefined;
}

/** Creates the Express application. A request passes its handlers from top to bottom. */
export function createApp(parts: AppParts): ListenerWithMessages {
  const { endpoints, credentials, limiter, development, mcp, publicUrl, consoleFolder } = parts;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('case sensitive routing', true);
  app.use(...parts.everyResponse.handlers());
  app.use('/health', healthRoutes(parts));
  app.use(
    '/api',
    authenticate(credentials, endpoints),
    limitRequests(limiter, endpoints),
    endpointRoutes(parts),
    linkRoutes(parts),
    development ? developmentRoutes(parts, development) : noDevelopment(),
  );
  app.use(apiDocsRoutes(parts));
  if (mcp) {
    app.set('trust proxy', [...mcp.trustProxy]);
    if (mcp.authorizationServer !== undefined)
      app.use(resourceMetadataRoutes(mcp.authorizationServer, publicUrl));
    app.use('/mcp', mcpRoutes(parts, mcp));
  }
  if (consoleFolder !== undefined) app.use(serveConsole(consoleFolder, 'index.html'));
  app.use(() => {
    throw new Failure('NOT_FOUND', 'This path does not exist. GET /api/endpoints lists the endpoints.');
  });
  app.use(sendProblem());
  return Object.assign(withPathOnly(app), { messages: messagesOf(app) });
}

function endpointRoutes(parts: ApiParts): Router {
  const { endpoints, bodies } = parts;
  const router = Router({ caseSensitive: true });
  router.route('/endpoints').get(listEndpoints(parts)).all(rejectMethod());
  router.route('/endpoints/:idOrName').get(describeEndpoint(endpoints)).all(rejectMethod());
  router
    .route('/endpoints/query/:idOrName')
    .get(callEndpoint(parts, readTarget))
    .post(callEndpoint(parts, readBody(bodies)))
    .all(rejectMethod('POST'));
  return router;
}

function healthRoutes(parts: ReadyParts): Router {
  const router = Router({ caseSensitive: true });
  router.route('/live').get(respondLive()).all(rejectMethod());
  router.route('/').get(respondReady(parts)).all(rejectMethod());
  router.route('/ready').get(respondReady(parts)).all(rejectMethod());
  return router;
}

/**
 * Passes requests to an Express application with the path only as `url`, and the whole target as `originalUrl`. Express parses
 * `url` again for each mount path, before authentication. With a query string of 60 kB that takes milliseconds.
 */
function withPathOnly(app: RequestListener): RequestListener {
  return (request, response) => {
    const { url: originalUrl = '/' } = request;
    const [url] = originalUrl.split('?', 1);
    app(Object.assign(request, { originalUrl, url }), response);
  };
}
