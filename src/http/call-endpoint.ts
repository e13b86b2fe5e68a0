import type { Request, RequestHandler, Response } from 'express';
import Negotiator from 'negotiator';

import { preferredWait, withDeadline } from '../admission/deadline.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import { Failure } from '../errors.js';
import type { AnswerCall } from '../execution/answer-call.js';
import { keyOf, type Answered, type CacheDemand, type Question } from '../execution/call.js';
import type { Clock } from '../execution/ports.js';
import type { RawParameters } from '../execution/raw-parameters.js';
import type { JudgeSql, SandboxedSelect } from '../execution/sandbox.js';
import { invalidParameters, validateParameters } from '../execution/validate-parameters.js';
import { applyFixed, scopeOf } from '../keys/fixed-parameters.js';
import { mayCall, type KeyHolder } from '../keys/key-holder.js';
import type { LimitState } from '../limits/limit-state.js';
import type { Limiter } from '../limits/limiter.js';
import { cacheDemandOf } from './cache-headers.js';
import type { KnownTargets } from './known-targets.js';
import { askerOf, setLimitHeaders, subjectsOf } from './limit-requests.js';
import { parseQueryString } from './query-string.js';
import { contextOf, type RequestContext } from './request-context.js';
import { sendAnswer } from './send-answer.js';

/** What a call of an endpoint stands on. */
export interface CallParts {
  readonly endpoints: EndpointRegistry;
  readonly answerCall: AnswerCall;
  readonly judgeSql: JudgeSql;
  readonly limiter: Limiter;
  readonly targets: KnownTargets;
  readonly clock: Clock;
}

/** `GET /api/endpoints/query/ID_OR_NAME`: runs the endpoint with the parameters of the query string. */
export function callEndpoint(parts: CallParts): RequestHandler {
  const { endpoints, answerCall, limiter, clock } = parts;
  return async (request, response) => {
    const context = contextOf(request);
    const holder = holderOf(context);
    const endpoint = findEndpoint(endpoints, request.params['idOrName']);
    context.endpoint = endpoint.name;
    checkMayCall(holder, endpoint);
    checkRepresentation(request);
    const subjects = subjectsOf(holder, endpoint);
    const states: LimitState[] = [...((await limiter.admitRequest(subjects)) ?? [])];
    setLimitHeaders(response, states);
    const deadline = deadlineOf(request, response);
    try {
      const question = await readQuestion(parts, request, { holder, endpoint, signal: deadline.signal });
      const key = keyOf(question);
      if (mayRemember(context, endpoint)) {
        parts.targets.learn(question.scope, request.originalUrl, { question, key });
      }
      const call = {
        ...question,
        requestId: context.requestId,
        signal: deadline.signal,
        demand: demandOf(request, holder),
        asker: askerOf(limiter, holder, subjects, (asked) => states.push(...asked)),
      };
      const answered = await answerCall(call, key);
      noteAnswer(context, answered);
      setLimitHeaders(response, states);
      sendAnswer(request, response, { endpoint, answered, now: clock().getTime() });
    } finally {
      deadline.end();
    }
  };
}

interface Caller {
  readonly holder: KeyHolder;
  readonly endpoint: Endpoint;
  readonly signal: AbortSignal;
}

/** @throws Failure FORBIDDEN or INVALID_PARAMETERS */
async function readQuestion(
  { judgeSql }: CallParts,
  request: Request,
  { holder, endpoint, signal }: Caller,
): Promise<Question> {
  const sent = parseQueryString(request.url);
  const applied = applyFixed(holder, endpoint.parameters, sent);
  if ('refused' in applied) throw new Failure('FORBIDDEN', applied.refused.detail);
  const values = validateParameters(endpoint, applied.parameters);
  const sandbox = await readSql(judgeSql, endpoint, sent, signal);
  return { endpoint, values, scope: scopeOf(holder), ...(sandbox && { sandbox }) };
}

/** The caller's own SQL, where the endpoint takes it. */
async function readSql(
  judgeSql: JudgeSql,
  endpoint: Endpoint,
  sent: RawParameters,
  signal: AbortSignal,
): Promise<SandboxedSelect | undefined> {
  const sql = sent.get('sql');
  if (!sql || endpoint.settings.sandboxing === 'disabled') return undefined;
  if (sql.text !== undefined && sql.times === 1) return judgeSql(endpoint, sql.text, signal);
  const problem =
    sql.times > 1
      ? `is given ${sql.times} times; it may be given once`
      : 'is not valid percent-encoded UTF-8';
  throw invalidParameters(endpoint.name, [{ param: 'sql', problem }]);
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

/** @throws Failure FORBIDDEN */
export function checkMayCall(holder: KeyHolder, endpoint: Endpoint): void {
  if (mayCall(holder, endpoint)) return;
  throw new Failure(
    'FORBIDDEN',
    'This key may not call this endpoint. GET /api/endpoints lists those that it may.',
  );
}

/** Who was let in. */
export function holderOf({ keyHolder }: RequestContext): KeyHolder {
  if (!keyHolder) throw new Error('the request was not authenticated');
  return keyHolder;
}

/** Leaves for the log how a call was answered; time in ClickHouse only where the call caused it. */
export function noteAnswer(context: RequestContext, { answer, status, collapsed }: Answered): void {
  context.rows = answer.rowCount;
  context.cache = status;
  if (status !== 'HIT' && status !== 'STALE' && !collapsed) context.clickhouseMs = answer.clickhouseMs;
}

/** A URL that holds a key or a signature is kept nowhere. */
function mayRemember({ isPresentedInHeaders }: RequestContext, { settings }: Endpoint): boolean {
  return isPresentedInHeaders === true && settings.caching !== 'disabled';
}

function checkRepresentation(request: Request): void {
  // A charset is no part of JSON's media type (RFC 8259, 11), and callers name it all the same.
  const accept = request.headers.accept?.replaceAll(/;\s*charset=[^;,]*/gi, '');
  if (accept === '') return;
  if (new Negotiator({ headers: { accept } }).mediaType(['application/json']) !== undefined) return;
  throw new Failure('NOT_ACCEPTABLE', 'The result can be had as application/json only.');
}

function demandOf(request: Request, { mayBypassCache }: KeyHolder): CacheDemand {
  return mayBypassCache ? cacheDemandOf(request.headers['cache-control']) : 'any';
}

interface CallDeadline {
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/** Aborts when the caller has gone, or has waited for as long as it said it would (`Prefer: wait=N`, RFC 7240). */
function deadlineOf(request: Request, response: Response): CallDeadline {
  const gone = callerGone(response);
  const seconds = preferredWait(request.get('prefer'));
  if (seconds === undefined) return { signal: gone, end: () => undefined };
  response.set('Preference-Applied', `wait=${seconds}`);
  return withDeadline(gone, seconds);
}

/** Aborts when the connection closes before the answer is out. */
function callerGone(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Failure('CALLER_GONE', 'The caller has gone.'));
  });
  return controller.signal;
}
