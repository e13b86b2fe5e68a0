import type { RequestHandler, Response } from 'express';

import { budgetReaderOf, mayCallWithPins } from '../../auth/pinned-parameters.js';
import { mayCall, type Principal } from '../../auth/principal.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import { limitsQueries, type LimitState, type Subject } from '../../limits/limit-state.js';
import type { Limiter } from '../../limits/limiter.js';
import { PlaceOfCall } from '../../limits/place-of-call.js';
import { rateLimitHeaders } from '../../limits/rate-limit-headers.js';
import type { Requester } from '../../query/ports.js';
import { endpointOfPath } from './find-endpoint.js';
import { contextOf } from '../transport/request-context.js';

const NONE: readonly Subject[] = [];

/** The subject of each principal and endpoint, so that a hit computes none. Principals have theirs until a reload. */
const ofPrincipals = new WeakMap<readonly Endpoint[], WeakMap<Principal, Subject>>();
const ofEndpoints = new WeakMap<Endpoint, Subject>();

/** The subjects whose limits a call counts against: its key and its endpoint, where they have limits. */
export function subjectsOf(
  endpoints: Endpoints,
  principal: Principal,
  endpoint?: Endpoint,
): readonly Subject[] {
  const ofEndpoint = endpoint?.settings.limits && endpointSubject(endpoint);
  // A signed link counts against the limits of its key.
  const limited = principal.signedBy ?? principal;
  if (!limited.limits) return ofEndpoint ? [ofEndpoint] : NONE;
  const ofPrincipal = principalSubject(endpoints, limited);
  return ofEndpoint ? [ofPrincipal, ofEndpoint] : [ofPrincipal];
}

/** The subject of a key; sandboxed if any call can have SQL, because its budget after a call without SQL would reveal the cost of SQL. */
function principalSubject(endpoints: Endpoints, principal: Principal): Subject {
  const all = endpoints.all();
  const subjects = ofPrincipals.get(all) ?? new WeakMap<Principal, Subject>();
  const known = subjects.get(principal);
  if (known) return known;
  const isSandboxed = all.some((endpoint) => takesSql(endpoint) && mayCall(principal, endpoint));
  const subject: Subject = { kind: 'key', name: principal.name, rules: principal.limits ?? {}, isSandboxed };
  ofPrincipals.set(all, subjects.set(principal, subject));
  return subject;
}

function endpointSubject(endpoint: Endpoint): Subject {
  const known = ofEndpoints.get(endpoint);
  if (known) return known;
  const { name, settings } = endpoint;
  const isSandboxed = takesSql(endpoint);
  const subject: Subject = { kind: 'endpoint', name, rules: settings.limits ?? {}, isSandboxed };
  ofEndpoints.set(endpoint, subject);
  return subject;
}

const takesSql = ({ settings }: Endpoint): boolean => settings.sandboxing === 'enabled';

/**
 * Counts every authenticated request once, before anything else can reject it: against its key, and against the called
 * endpoint where the key may call it.
 *
 * @throws LimitExceeded
 */
export function limitRequests(limiter: Limiter, endpoints: Endpoints): RequestHandler {
  return async (request, response, next) => {
    const context = contextOf(request);
    const { principal } = context;
    if (principal) {
      const called = endpointOfPath(endpoints, request.path);
      if (called) context.endpoint = called.name;
      const limited = called && mayCallWithPins(principal, called) ? called : undefined;
      context.limits = await limiter.admitRequest(subjectsOf(endpoints, principal, limited));
      setLimitHeaders(response, context.limits, principal);
    }
    next();
  };
}

/** Sets the rate limit headers; the last state of each limit counts. */
export function setLimitHeaders(
  response: Response,
  states: readonly LimitState[],
  principal: Principal,
): void {
  if (states.length > 0) response.set(rateLimitHeaders(states, budgetReaderOf(principal)));
}

/**
 * The requester of a call's queries.
 *
 * @param onStates called with the states of the cost limits when a query is admitted.
 */
export function requesterOf(
  limiter: Limiter,
  principal: Principal,
  subjects: readonly Subject[],
  onStates?: (states: readonly LimitState[]) => void,
): Requester {
  const requester = { lane: principal.name, priority: 'interactive' } as const;
  if (!subjects.some(limitsQueries)) return requester;
  const place = new PlaceOfCall(() => limiter.admitQuery(subjects));
  return {
    admitQuery: async () => {
      const { states, settle } = await place.admitQuery();
      onStates?.(states);
      return settle;
    },
    ...requester,
  };
}
