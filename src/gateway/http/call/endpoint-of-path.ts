import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { Endpoints } from '../../../endpoint/registry.js';

/** The path of a call below `/api`, with the syntax of the route in Express. */
const CALL = /^\/endpoints\/query\/([^/]+)\/?$/;

/**
 * The endpoint that a request of any method calls; undefined where no endpoint has that name or id.
 *
 * @param path below `/api`, as Express matches it: another interpretation of the URL would let a call evade its limits.
 */
export function endpointOfPath(endpoints: Endpoints, path: string): Endpoint | undefined {
  const [, segment] = CALL.exec(path) ?? [];
  return segment === undefined ? undefined : endpoints.find(decoded(segment));
}

/** Empty, which is no endpoint's name, where the segment can't be decoded. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
