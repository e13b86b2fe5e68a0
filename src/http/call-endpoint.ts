import type { Request, RequestHandler, Response } from 'express';

import type { Endpoint } from '../endpoint/endpoint.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import { Failure } from '../errors.js';
import type { QueryResult } from '../execution/ports.js';
import type { RunEndpoint } from '../execution/run-endpoint.js';
import { parseQueryString } from './query-string.js';
import { contextOf } from './request-context.js';

/** `GET /api/endpoints/query/ID_OR_NAME`: runs the endpoint with the parameters of the query string. */
export function callEndpoint(endpoints: EndpointRegistry, runEndpoint: RunEndpoint): RequestHandler {
  return async (request, response) => {
    const context = contextOf(request);
    const endpoint = findEndpoint(endpoints, request.params['idOrName']);
    context.endpoint = endpoint.name;
    checkRepresentation(request);
    const result = await runEndpoint({
      endpoint,
      parameters: parseQueryString(request.url),
      requestId: context.requestId,
      signal: callerGone(response),
    });
    context.rows = result.rowCount;
    context.clickhouseMs = result.clickhouseMs;
    sendResult(response, result);
  };
}

/** @throws Failure ENDPOINT_NOT_FOUND */
export function findEndpoint(endpoints: EndpointRegistry, idOrName: unknown): Endpoint {
  const endpoint = endpoints.find(String(idOrName));
  if (endpoint) return endpoint;
  throw new Failure(
    'ENDPOINT_NOT_FOUND',
    'There is no endpoint with this name or id. GET /api/endpoints lists those that there are.',
  );
}

function checkRepresentation(request: Request): void {
  if (request.accepts('application/json') !== false) return;
  throw new Failure('NOT_ACCEPTABLE', 'The result can be had as application/json only.');
}

/** Aborts when the connection closes before the answer is out. */
function callerGone(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

function sendResult(response: Response, result: QueryResult): void {
  response.status(200).set({
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(result.body.length),
    'Cache-Control': 'no-store',
    'X-Row-Count': String(result.rowCount),
    ...(result.truncated && { 'X-Truncated': 'true' }),
  });
  response.end(result.body);
}
