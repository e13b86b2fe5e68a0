import type { Request, RequestHandler, Response } from 'express';
import Negotiator from 'negotiator';

import type { Endpoint } from '../endpoint/endpoint.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import { Failure } from '../errors.js';
import type { AnswerCall } from '../execution/answer-call.js';
import { keyOf, type Answered, type CacheDemand, type Question } from '../execution/call.js';
import type { Clock } from '../execution/ports.js';
import { validateParameters } from '../execution/validate-parameters.js';
import { cacheDemandOf } from './cache-headers.js';
import type { KnownTargets } from './known-targets.js';
import { parseQueryString } from './query-string.js';
import { contextOf, type RequestContext } from './request-context.js';
import { sendAnswer } from './send-answer.js';

/** What a call of an endpoint stands on. */
export interface CallParts {
  readonly endpoints: EndpointRegistry;
  readonly answerCall: AnswerCall;
  readonly targets: KnownTargets;
  readonly clock: Clock;
}

/** Keys differ in what they may do, not yet in which rows they see. */
const EVERY_ROW = '';

/** `GET /api/endpoints/query/ID_OR_NAME`: runs the endpoint with the parameters of the query string. */
export function callEndpoint({ endpoints, answerCall, targets, clock }: CallParts): RequestHandler {
  return async (request, response) => {
    const context = contextOf(request);
    const endpoint = findEndpoint(endpoints, request.params['idOrName']);
    context.endpoint = endpoint.name;
    checkRepresentation(request);
    const values = validateParameters(endpoint, parseQueryString(request.url));
    const question: Question = { endpoint, values, scope: EVERY_ROW };
    const key = keyOf(question);
    if (endpoint.settings.caching !== 'disabled') targets.learn(request.originalUrl, { question, key });
    const call = {
      ...question,
      requestId: context.requestId,
      signal: callerGone(response),
      demand: demandOf(request, context),
    };
    const answered = await answerCall(call, key);
    noteAnswer(context, answered);
    sendAnswer(request, response, { endpoint, answered, now: clock().getTime() });
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

/** Leaves for the log how a call was answered; time in ClickHouse only where the call caused it. */
export function noteAnswer(context: RequestContext, { answer, status, collapsed }: Answered): void {
  context.rows = answer.rowCount;
  context.cache = status;
  if (status !== 'HIT' && status !== 'STALE' && !collapsed) context.clickhouseMs = answer.clickhouseMs;
}

function checkRepresentation(request: Request): void {
  // A charset is no part of JSON's media type (RFC 8259, 11), and callers name it all the same.
  const accept = request.headers.accept?.replaceAll(/;\s*charset=[^;,]*/gi, '');
  if (accept === '') return;
  if (new Negotiator({ headers: { accept } }).mediaType(['application/json']) !== undefined) return;
  throw new Failure('NOT_ACCEPTABLE', 'The result can be had as application/json only.');
}

function demandOf(request: Request, { keyHolder }: RequestContext): CacheDemand {
  return keyHolder?.mayBypassCache ? cacheDemandOf(request.headers['cache-control']) : 'any';
}

/** Aborts when the connection closes before the answer is out. */
function callerGone(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Failure('CALLER_GONE', 'The caller has gone.'));
  });
  return controller.signal;
}
