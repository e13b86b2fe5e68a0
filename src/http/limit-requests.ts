import type { RequestHandler, Response } from 'express';

import type { Endpoint } from '../endpoint/endpoint.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import type { Asker } from '../query/ports.js';
import { mayCall, type KeyHolder } from '../auth/principal.js';
import type { LimitState, Subject } from '../limits/limit-state.js';
import type { Limiter } from '../limits/limiter.js';
import { rateLimitHeaders } from '../limits/rate-limit-headers.js';
import { calledEndpoint } from './called-endpoint.js';
import { contextOf } from './request-context.js';

const NONE: readonly Subject[] = [];

/** Made once for each holder and endpoint, since limits are remembered beside them. */
const ofHolders = new WeakMap<KeyHolder, Subject>();
const ofEndpoints = new WeakMap<Endpoint, Subject>();

/** Whose limits a call counts on: its key's and its endpoint's, where these have any. */
export function subjectsOf(
  endpoints: EndpointRegistry,
  holder: KeyHolder,
  endpoint?: Endpoint,
): readonly Subject[] {
  const ofEndpoint = endpoint?.settings.limits && endpointSubject(endpoint);
  // A link counts on its key.
  const seer = holder.linkOf ?? holder;
  if (!seer.limits) return ofEndpoint ? [ofEndpoint] : NONE;
  const ofHolder = holderSubject(endpoints, seer);
  return ofEndpoint ? [ofHolder, ofEndpoint] : [ofHolder];
}

/** One key has one budget for all of its calls, so that a call without SQL would show what one with SQL cost. */
function holderSubject(endpoints: EndpointRegistry, holder: KeyHolder): Subject {
  const known = ofHolders.get(holder);
  if (known) return known;
  const isSandboxed = endpoints.all().some((endpoint) => takesSql(endpoint) && mayCall(holder, endpoint));
  const subject: Subject = { kind: 'key', name: holder.name, rules: holder.limits ?? {}, isSandboxed };
  ofHolders.set(holder, subject);
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
 * Counts every authenticated request, once, before anything else can refuse it: on its key, and on the endpoint that it
 * calls where the key may call it.
 *
 * @throws LimitExceeded
 */
export function limitRequests(limiter: Limiter, endpoints: EndpointRegistry): RequestHandler {
  return async (request, response, next) => {
    const context = contextOf(request);
    const { keyHolder } = context;
    if (keyHolder) {
      const called = calledEndpoint(endpoints, request.path);
      if (called) context.endpoint = called.name;
      const limited = called && mayCall(keyHolder, called) ? called : undefined;
      context.limits = (await limiter.admitRequest(subjectsOf(endpoints, keyHolder, limited))) ?? [];
      setLimitHeaders(response, context.limits);
    }
    next();
  };
}

/** Tells a caller how its limits stand; of several states of one limit the last one counts. */
export function setLimitHeaders(response: Response, states: readonly LimitState[]): void {
  response.set(rateLimitHeaders(states));
}

/**
 * On whose behalf a call uses ClickHouse.
 *
 * @param onStates notified how the limits on cost stood.
 */
export function askerOf(
  limiter: Limiter,
  holder: KeyHolder,
  subjects: readonly Subject[],
  onStates?: (states: readonly LimitState[]) => void,
): Asker {
  return {
    lane: holder.name,
    priority: 'interactive',
    admitQuery: async () => {
      const { states, settle } = await limiter.admitQuery(subjects);
      onStates?.(states);
      return settle;
    },
  };
}
