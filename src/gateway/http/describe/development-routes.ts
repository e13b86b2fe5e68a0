import { Router, type Request, type RequestHandler, type Response } from 'express';

import { applyPinned, mayCallWithPins } from '../../auth/pinned-parameters.js';
import type { Principal } from '../../auth/principal.js';
import { bindQuery, type BoundQuery } from '../../../endpoint/bind.js';
import { rowCap, type Endpoint } from '../../../endpoint/endpoint.js';
import type { FileProblem } from '../../../endpoint/file-problems.js';
import { SecretValue } from '../../../endpoint/parameters/secret-value.js';
import { Failure } from '../../errors.js';
import { invalidParameters, readParameters } from '../../query/validate-parameters.js';
import type { ApiParts } from '../api-parts.js';
import { findEndpoint, requireOpen } from '../call/find-endpoint.js';
import { parseQueryString } from '../call/query-string.js';
import { rejectMethod } from '../transport/reject-method.js';
import { contextOf, principalOf } from '../transport/request-context.js';

/** What a check found about an endpoint. */
export interface Findings {
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
  /** Number of rows of the example's result; this and the next two are absent where the example failed. */
  readonly rows?: number;
  readonly rowsRead?: number;
  readonly milliseconds?: number;
  /** What the example reads of each table. */
  readonly tables: readonly object[];
}

/** The file that an endpoint is from. */
export interface EndpointFile {
  /** Name of the file in messages: `endpoints/visits.sql`. */
  readonly file: string;
  /** Absolute path. */
  readonly path: string;
}

/** The state of a development server that other gateways do not have. */
export interface DevelopmentSource {
  /** A text that differs after any other value of this object has changed. */
  readonly revision: () => string;
  /** Problems of the files that are not served, each with the absolute path of its file. */
  readonly problems: () => readonly (FileProblem & { readonly path?: string })[];
  /** Texts about what a person should do, for example after a changed schema file. */
  readonly notices: () => readonly string[];
  /** A text that differs after the definition or the settings of an endpoint have changed. */
  readonly versionOf: (endpoint: Endpoint) => string;
  /** The findings of the last check of an endpoint; undefined before it. */
  readonly findingsOf: (endpoint: Endpoint) => Findings | undefined;
  /** Starts the check of an endpoint, unless it was done. The revision changes when the check has ended. */
  readonly check: (endpoint: Endpoint) => void;
  /** The file of an endpoint; undefined for the gateway's own endpoints. */
  readonly fileOf: (endpoint: Endpoint) => Promise<EndpointFile | undefined>;
  /** Resolves when the revision differs from `from`, or after a pause. */
  readonly untilChanged: (from: string, signal: AbortSignal) => Promise<void>;
}

/** `/api/dev` of a development server: its problems, and the SQL and the findings of an endpoint. */
export function developmentRoutes(parts: ApiParts, source: DevelopmentSource): Router {
  const router = Router({ caseSensitive: true });
  router.route('/dev').get(sendState(parts, source)).all(rejectMethod());
  router.route('/dev/endpoints/:idOrName').get(sendEndpoint(parts, source)).all(rejectMethod());
  return router;
}

/** `/api/dev` of any other gateway: 204, not 404, because the console requests it of every gateway. */
export function noDevelopment(): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/dev')
    .get((_request, response) => {
      response.set('Cache-Control', 'no-store').status(204).end();
    })
    .all(rejectMethod());
  return router;
}

/** Sends the state. With `after=REVISION` the response waits until the revision differs. */
function sendState({ endpoints }: ApiParts, source: DevelopmentSource): RequestHandler {
  return async (request, response) => {
    const context = contextOf(request);
    const principal = principalOf(context);
    context.endsWithClient = true;
    const after = parseQueryString(request.originalUrl).get('after')?.text;
    if (after === source.revision()) await source.untilChanged(after, signalOf(response));
    const seesAll = seesEveryFile(principal);
    response.set('Cache-Control', 'no-store').json({
      revision: source.revision(),
      problems: seesAll ? source.problems() : [],
      notices: seesAll ? source.notices() : [],
      endpoints: endpoints
        .all()
        .filter((endpoint) => mayCallWithPins(principal, endpoint))
        .map((endpoint) => {
          const { faults = [], warnings = [] } = source.findingsOf(endpoint) ?? {};
          const version = source.versionOf(endpoint);
          return { name: endpoint.name, version, faults: faults.length, warnings: warnings.length };
        }),
    });
  };
}

function sendEndpoint(parts: ApiParts, source: DevelopmentSource): RequestHandler {
  return async (request, response) => {
    const principal = principalOf(contextOf(request));
    const endpoint = findEndpoint(parts.endpoints, request.params['idOrName'], principal);
    requireOpen(principal, endpoint);
    const bound = boundQuery(parts, endpoint, principal, request);
    const file = seesEveryFile(principal) ? await source.fileOf(endpoint) : undefined;
    source.check(endpoint);
    response.set('Cache-Control', 'no-store').json({
      name: endpoint.name,
      ...file,
      sql: bound.text,
      parameters: parametersOf(bound),
      findings: source.findingsOf(endpoint) ?? null,
    });
  };
}

/** Whether a key may see the texts and problems of files: not one for some endpoints or rows, which belongs to a tenant. */
const seesEveryFile = ({ endpoints, pinned }: Principal): boolean =>
  endpoints === undefined && (pinned?.size ?? 0) === 0;

/** The bound query of a call with the same query string. @throws Failure like the call */
function boundQuery(
  { clock, seal }: ApiParts,
  endpoint: Endpoint,
  principal: Principal,
  { originalUrl }: Request,
): BoundQuery {
  const sent = parseQueryString(originalUrl);
  const applied = applyPinned(principal, endpoint.parameters, sent);
  if ('conflict' in applied) throw new Failure('FORBIDDEN', applied.conflict.detail);
  const { values, problems } = readParameters(endpoint, applied.parameters, { now: clock(), seal });
  if (problems.length > 0) throw invalidParameters(problems);
  return bindQuery(endpoint.query, values, new Set(principal.pinned?.keys()), clock(), rowCap(endpoint));
}

/** The values that ClickHouse gets in addition to the text, each with the type that the text declares. */
function parametersOf({ text, parameters }: BoundQuery): readonly Readonly<Record<string, unknown>>[] {
  return Object.entries(parameters).map(([name, value]) => ({
    name,
    type: new RegExp(`\\{${name}:([^}]*)\\}`).exec(text)?.[1] ?? '',
    value: value instanceof SecretValue ? 'secret' : value,
  }));
}

/** Aborts when the client disconnects. */
function signalOf(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    controller.abort();
  });
  return controller.signal;
}
