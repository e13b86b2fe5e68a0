import { mayCallWithPins, refusalOf } from '../../auth/pinned-parameters.js';
import type { Principal } from '../../auth/principal.js';
import { closestName } from '../../../endpoint/closest-name.js';
import { isGone, removalNote } from '../../../endpoint/deprecation.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import { Failure } from '../../errors.js';

/** Bounds of the search for a similar name, because a caller can send many: characters of the name, and number of names compared. */
const MAX_NAME = 64;
const MAX_COMPARED = 200;

/**
 * @param principal a misspelt name is compared only with the names of endpoints that this principal may call.
 * @throws Failure ENDPOINT_NOT_FOUND
 */
export function findEndpoint(endpoints: Endpoints, idOrName: unknown, principal: Principal): Endpoint {
  const name = String(idOrName);
  const endpoint = endpoints.find(name);
  if (endpoint) return endpoint;
  const meant = nameMeant(endpoints, name, principal);
  const advice = meant === undefined ? '.' : `; did you mean ${meant}?`;
  throw new Failure(
    'ENDPOINT_NOT_FOUND',
    `No endpoint has this name or id${advice} GET /api/endpoints lists the endpoints.`,
  );
}

/** @throws Failure FORBIDDEN for an endpoint that the principal may not call */
export function requireOpen(principal: Principal, endpoint: Endpoint): void {
  const refusal = refusalOf(principal, endpoint);
  if (refusal !== undefined) throw new Failure('FORBIDDEN', refusal);
}

/** @throws Failure ENDPOINT_GONE after the sunset of an endpoint with the setting `goneAfterSunset` */
export function requireNotGone(endpoint: Endpoint, now: Date): void {
  if (!isGone(endpoint, now.getTime())) return;
  const note = removalNote(endpoint.deprecated, (successor) => `Call ${successor}`);
  throw new Failure('ENDPOINT_GONE', `This endpoint ${note}`);
}

function nameMeant(endpoints: Endpoints, misspelt: string, principal: Principal): string | undefined {
  if (misspelt.length > MAX_NAME) return undefined;
  const names: string[] = [];
  for (const endpoint of endpoints.all()) {
    if (names.length === MAX_COMPARED) break;
    const { name } = endpoint;
    const isAsLong = Math.abs(name.length - misspelt.length) <= misspelt.length / 3;
    if (isAsLong && mayCallWithPins(principal, endpoint)) names.push(name);
  }
  return closestName(misspelt, names);
}

/** The path of a call below `/api`, with the syntax of the route in Express. */
const CALL = /^\/endpoints\/query\/([^/]+)\/?$/;

/**
 * The endpoint that a request of any method calls; undefined for an unknown name or id.
 *
 * @param path path below `/api`, as Express matches it: another interpretation of the URL would let a call evade its limits.
 */
export function endpointOfPath(endpoints: Endpoints, path: string): Endpoint | undefined {
  const [, segment] = CALL.exec(path) ?? [];
  return segment === undefined ? undefined : endpoints.find(decoded(segment));
}

/** The decoded segment; empty, which is not the name of an endpoint, where it cannot be decoded. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
