import express, { Router } from 'express';

import { Failure } from '../errors.js';
import { apiDocsRoutes } from './describe/api-docs.js';
import { authenticate } from './call/authenticate.js';
import { callEndpoint, type RestDependencies } from './call/call-endpoint.js';
import { serveConsole } from './describe/console.js';
import type { Credentials } from './call/credentials.js';
import { describeEndpoint, listEndpoints } from './describe/describe-endpoints.js';
import { developmentRoutes, noDevelopment, type DevelopmentSource } from './describe/development-routes.js';
import { respondLive, respondReady, type ReadyDependencies } from './transport/health.js';
import { JsonBodies } from './call/json-body.js';
import { limitRequests } from './call/limit-requests.js';
import { linkRoutes, type LinkRoutesDependencies } from './call/link-routes.js';
import { openApiDocument } from './describe/openapi/openapi-document.js';
import { mcpRoutes } from './mcp/mcp-routes.js';
import { resourceMetadataRoutes } from './mcp/resource-metadata.js';
import { messagesOf, type ListenerWithMessages } from './transport/messages.js';
import { sendProblem } from './transport/problem.js';
import { rejectMethod } from './transport/reject-method.js';
import type { EveryResponse } from './transport/every-response.js';
import { withPathOnly } from './transport/request-target.js';
import { readBody, readTarget } from './call/sent-call.js';

/** The options of MCP. */
export interface McpOptions {
  /** Bytes of the rows of a tool's result. */
  readonly maxToolBytes: number;
  /** The issuer of tokens, where OAuth clients can look it up; undefined: there is no metadata for them. */
  readonly authorizationServer: string | undefined;
  /** IP addresses and ranges of the proxies that report by which URL a client reaches the gateway. */
  readonly trustProxy: readonly string[];
  /** Called for a failure of the SDK, which the response reports without its text. */
  readonly onError: (error: Error) => void;
}

/** The dependencies and options of the public API. */
export interface AppDependencies extends RestDependencies, ReadyDependencies, LinkRoutesDependencies {
  readonly credentials: Credentials;
  readonly everyResponse: EveryResponse;
  /** Origins whose pages may read responses; empty: no CORS headers. */
  readonly corsOrigins: readonly string[];
  /** Version of the gateway. */
  readonly version: string;
  /** `PUBLIC_URL`: the URL of the gateway for callers, without a slash at its end. */
  readonly publicUrl?: string | undefined;
  /** Present where MCP is enabled. */
  readonly mcp?: McpOptions | undefined;
  /** Reads the bodies of calls. */
  readonly bodies?: JsonBodies | undefined;
  /** Folder of the built console; undefined where there is none. */
  readonly consoleFolder?: string | undefined;
  /** Present in a development server. */
  readonly development?: DevelopmentSource | undefined;
}

/** Creates the Express application. A request passes its handlers from top to bottom. */
export function createApp(dependencies: AppDependencies): ListenerWithMessages {
  const { bodies = new JsonBodies() } = dependencies;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).set('case sensitive routing', true);
  app.use(...dependencies.everyResponse.handlers());
  app.use('/health', healthRoutes(dependencies));
  app.use(
    '/api',
    authenticate(dependencies.credentials, dependencies.endpoints),
    limitRequests(dependencies.limiter, dependencies.endpoints),
    endpointRoutes(dependencies, bodies),
    linkRoutes(dependencies, bodies),
    dependencies.development ? developmentRoutes(dependencies, dependencies.development) : noDevelopment(),
  );
  const { times, publicUrl: serverUrl } = dependencies;
  app.use(
    apiDocsRoutes({
      ...dependencies,
      describe: (reader) => openApiDocument({ ...reader, times, serverUrl }),
    }),
  );
  if (dependencies.mcp) {
    const { authorizationServer, trustProxy } = dependencies.mcp;
    app.set('trust proxy', [...trustProxy]);
    if (authorizationServer !== undefined)
      app.use(resourceMetadataRoutes(authorizationServer, dependencies.publicUrl));
    app.use('/mcp', mcpRoutes({ ...dependencies, ...dependencies.mcp, bodies }));
  }
  if (dependencies.consoleFolder !== undefined)
    app.use(serveConsole(dependencies.consoleFolder, 'index.html'));
  app.use(() => {
    throw new Failure('NOT_FOUND', 'This path does not exist. GET /api/endpoints lists the endpoints.');
  });
  app.use(sendProblem());
  return Object.assign(withPathOnly(app), { messages: messagesOf(app) });
}

function endpointRoutes(dependencies: AppDependencies, bodies: JsonBodies): Router {
  const { endpoints } = dependencies;
  const router = Router({ caseSensitive: true });
  router.route('/endpoints').get(listEndpoints(endpoints)).all(rejectMethod());
  router.route('/endpoints/:idOrName').get(describeEndpoint(endpoints)).all(rejectMethod());
  router
    .route('/endpoints/query/:idOrName')
    .get(callEndpoint(dependencies, readTarget))
    .post(callEndpoint(dependencies, readBody(bodies)))
    .all(rejectMethod('POST'));
  return router;
}

function healthRoutes(dependencies: ReadyDependencies): Router {
  const router = Router({ caseSensitive: true });
  router.route('/live').get(respondLive()).all(rejectMethod());
  router.route('/').get(respondReady(dependencies)).all(rejectMethod());
  router.route('/ready').get(respondReady(dependencies)).all(rejectMethod());
  return router;
}
