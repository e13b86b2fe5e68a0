import { isIP } from 'node:net';
import express, { Router, type ErrorRequestHandler, type Express, type RequestHandler } from 'express';

import type { EndpointRegistry } from '../../endpoint/registry.js';
import { Failure } from '../../errors.js';
import { describeError, type Logger } from '../../observability/logger.js';
import type { HitCounter } from '../../query/hit-counts.js';
import type { PurgeScope } from '../../query/result-store.js';
import type { Warmer } from '../../warming/warmer.js';
import { serveConsole } from '../console.js';
import { limitHeaders } from '../header-limits.js';
import { sendProblem } from '../problem.js';
import { contextOf } from '../request-context.js';
import { assignRequestId } from '../request-id.js';
import { setSecurityHeaders } from '../security-headers.js';
import { describeCache, type CacheInfo } from './describe-cache.js';
import { describeKeys, type KeysInfo } from './describe-keys.js';
import { describeWarming } from './describe-warming.js';
import { makeLink, type LinkParts } from './make-link.js';
import { readPurgeScopes } from './purge-scope.js';

/** What the operator's view stands on. */
export interface AdminParts extends Omit<LinkParts, 'keys'> {
  readonly keys: LinkParts['keys'] & KeysInfo['keys'];
  readonly keyUse: { readonly all: () => KeysInfo['keyUse'] };
  readonly cache: CacheInfo & {
    readonly isLeader: () => boolean;
    /** False where other gateways are not notified yet. */
    readonly purge: (scope: PurgeScope) => Promise<boolean>;
  };
  readonly hits: Pick<HitCounter, 'all'>;
  readonly metrics: {
    readonly registry: { readonly contentType: string; readonly metrics: () => Promise<string> };
    readonly failures: { readonly all: () => readonly unknown[] };
  };
  readonly warmer: Pick<Warmer, 'state' | 'tick'>;
  readonly logger: Logger;
  /** Folder of the built console, where there is one. */
  readonly consoleFolder?: string | undefined;
}

/** The operator's view: cache, warming, metrics. It has no keys; who reaches its port may use it. */
export function createAdminApp(parts: AdminParts): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use(assignRequestId(), limitHeaders());
  // Before other sites are refused: browsers ask for a page's own modules with an Origin, and its files tell nothing.
  if (parts.consoleFolder !== undefined) app.use(serveConsole(parts.consoleFolder, 'operator.html'));
  app.use(protectResponses());
  // Whatever Content-Type says: a body that is not read would count as none, and purge everything.
  app.use(express.json({ limit: '64kb', type: () => true }), refuseBody(), refuseOtherSites());
  app.use(routes(parts));
  app.use(() => {
    throw new Failure(
      'NOT_FOUND',
      'There are /cache, /cache/purge, /warming, /warming/run, /keys, /links, /errors and /metrics.',
    );
  });
  app.use(logFault(parts.logger), sendProblem());
  return app;
}

/** What an operator sees holds names of keys and parameters of callers: nobody keeps it, and no browser runs it. */
function protectResponses(): RequestHandler {
  return (_request, response, next) => {
    setSecurityHeaders(response);
    response.set('Cache-Control', 'no-store');
    next();
  };
}

/**
 * A page of some other site, in the browser of an operator, reaches this port too. Browsers say where such a page is
 * from; where the site gave its own name this machine's address (DNS rebinding), the name in Host gives it away.
 */
function refuseOtherSites(): RequestHandler {
  return (request, _response, next) => {
    if (request.headers.origin !== undefined || isPublicName(request.hostname)) {
      throw new Failure(
        'FORBIDDEN',
        'The operator’s view is not for pages of other sites: no Origin is let in, and Host has to be an address or a ' +
          'name that no public site can have.',
      );
    }
    next();
  };
}

/** Whether somebody on the Internet could own a name: addresses, single words and private suffixes are nobody's. */
function isPublicName(hostname: string | undefined): boolean {
  if (hostname === undefined || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
  return hostname.includes('.') && !/\.(localhost|local|internal|test)$/i.test(hostname);
}

/** Told of what the reader of bodies can't read. */
function refuseBody(): ErrorRequestHandler {
  return (cause: unknown, _request, _response, next) => {
    next(new Failure('BAD_REQUEST', 'The body is no JSON object, or is over 64 KiB.', { cause }));
  };
}

/** A failure tells the operator all there is; of a fault, the cause is in the log alone. */
function logFault(logger: Logger): ErrorRequestHandler {
  return (error: unknown, request, _response, next) => {
    const { requestId } = contextOf(request);
    if (!(error instanceof Failure)) {
      logger.error('the operator’s view failed', { requestId, ...describeError(error) });
    }
    next(error);
  };
}

function routes(parts: AdminParts): Router {
  const { endpoints, cache, hits, keys, keyUse, metrics, warmer, logger } = parts;
  const router = Router();
  const get = (path: string, answer: RequestHandler): void => {
    router.route(path).get(answer).all(refuseMethod('GET', 'HEAD'));
  };
  const post = (path: string, answer: RequestHandler): void => {
    router.route(path).post(answer).all(refuseMethod('POST'));
  };
  const sendWarming: RequestHandler = async (_request, response) => {
    response.json({ leader: cache.isLeader(), sets: describeWarming(await warmer.state()) });
  };
  get('/cache', (_request, response) => {
    response.json(describeCache(endpoints, cache, hits.all()));
  });
  post('/cache/purge', purge(endpoints, cache, logger));
  get('/warming', sendWarming);
  post('/warming/run', async (...args) => {
    await warmer.tick({ all: true });
    await sendWarming(...args);
  });
  get('/keys', (_request, response) => {
    response.json(describeKeys({ keys, keyUse: keyUse.all() }));
  });
  post('/links', (request, response) => {
    response.json(makeLink(parts, request.body));
  });
  get('/errors', (_request, response) => {
    response.json({ failures: metrics.failures.all() });
  });
  get('/metrics', async (_request, response) => {
    response.set('Content-Type', metrics.registry.contentType).send(await metrics.registry.metrics());
  });
  return router;
}

function refuseMethod(...allow: readonly string[]): RequestHandler {
  return (request) => {
    throw new Failure(
      'METHOD_NOT_ALLOWED',
      `${request.method} is not allowed here; ${allow.join(' and ')} are.`,
      {
        allow,
      },
    );
  };
}

function purge(endpoints: EndpointRegistry, cache: AdminParts['cache'], logger: Logger): RequestHandler {
  return async (request, response) => {
    const scopes = readPurgeScopes(endpoints, request.body);
    const complete = await Promise.all(scopes.map((scope) => cache.purge(scope)));
    if (complete.includes(false)) throw purgeIncomplete();
    const [scope] = scopes;
    logger.info('cache purged', { ...scope });
    response.json({ purged: scope });
  };
}

/** Redis is tried again every few seconds while it is away, and gets the purge then without another request. */
function purgeIncomplete(): Failure {
  return new Failure(
    'PURGE_INCOMPLETE',
    'This gateway has purged its results, but Redis did not accept the purge: other gateways may return results from before ' +
      'it, until Redis responds. Purge again to have it confirmed.',
    { retryAfterSeconds: 5 },
  );
}
