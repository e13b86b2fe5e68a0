import type { Endpoint } from '../endpoint/endpoint.js';
import type { EndpointRegistry } from '../endpoint/registry.js';

/** The path of a call, below `/api`, as the route has it. */
const CALL = /^\/endpoints\/query\/([^/]+)\/?$/;

/**
 * The endpoint that a request calls, whatever its method; undefined where there is none of that name.
 *
 * @param path below `/api`, as Express matches it: any other reading of the URL would let a call evade its limits.
 */
export function calledEndpoint(endpoints: EndpointRegistry, path: string): Endpoint | undefined {
  const [, segment] = CALL.exec(path) ?? [];
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
