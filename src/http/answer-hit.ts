import type { IncomingMessage, ServerResponse } from 'node:http';

import type { FindHit } from '../execution/answer-call.js';
import type { Clock } from '../execution/ports.js';
import { presentedKey, type FindKey } from './authenticate.js';
import { noteAnswer } from './call-endpoint.js';
import type { KnownTargets } from './known-targets.js';
import type { RequestContext } from './request-context.js';
import { requestIdOf } from './request-id.js';
import type { RequestLog } from './request-log.js';
import { SECURITY_HEADERS } from './security-headers.js';
import { sendAnswer } from './send-answer.js';

export interface HitParts {
  readonly targets: KnownTargets;
  readonly findHit: FindHit;
  readonly findKey: FindKey;
  readonly clock: Clock;
  readonly log: RequestLog;
}

/** Answers a request where that takes no more than a look into memory; says whether it did. */
export type AnswerHit = (request: IncomingMessage, response: ServerResponse) => boolean;

/** `Accept` values that mean JSON will do, as nearly all callers send them. */
const TAKES_JSON = new Set([undefined, '*/*', 'application/json', 'application/json, text/plain, */*']);

/**
 * The short way of a request that was asked before and whose answer is in memory: the same key check, the same fresh
 * answer and the same headers as through the application, without its router. Anything out of the ordinary is left to
 * the application.
 */
export function createHitAnswerer({ targets, findHit, findKey, clock, log }: HitParts): AnswerHit {
  return (request, response) => {
    const startedAt = performance.now();
    const { url = '', headers } = request;
    const known = isOrdinary(request) ? targets.find(url) : undefined;
    if (!known) return false;
    const key = presentedKey(headers);
    const keyHolder = key === undefined ? undefined : findKey(key);
    if (!keyHolder) return false;
    const answered = findHit(known.question, known.key);
    if (!answered) return false;
    const { endpoint } = known.question;
    const requestId = requestIdOf(headers['x-request-id']?.toString());
    const context: RequestContext = { requestId, startedAt, keyHolder, endpoint: endpoint.name };
    noteAnswer(context, answered);
    const own = ['X-Request-Id', requestId, ...SECURITY_HEADERS];
    sendAnswer(request, response, { endpoint, answered, now: clock().getTime(), headers: own });
    log.note(request, response, url, context);
    return true;
  };
}

function isOrdinary({ method, headers }: IncomingMessage): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    TAKES_JSON.has(headers.accept) &&
    headers['cache-control'] === undefined &&
    headers.origin === undefined &&
    headers.host !== undefined
  );
}
