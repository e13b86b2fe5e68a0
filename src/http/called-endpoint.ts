import type { Endpoint } from '../endpoint/endpoint.js';
import type { EndpointRegistry } from '../endpoint/registry.js';

/** The path of a call, below `/api`. */
const CALL = /^\/endpoints\/query\/([^/?]+)\/?(?:\?|$)/;

/**
 * The endpoint that a request calls, whatever its method; undefined where there is none of that name.
 *
 * @param target path and query string below `/api`.
 */
export function calledEndpoint(endpoints: EndpointRegistry, target: string): Endpoint | undefined {
  const [, segment] = CALL.exec(target) ?? [];
  return segment === undefined ? undefined : endpoints.find(decoded(segment));
}

/** What can't be decoded is the name of no endpoint. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
