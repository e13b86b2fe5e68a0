import type { Endpoint } from '../endpoint/endpoint.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import { usageError } from './exit-codes.js';

/**
 * The endpoint of a name or id.
 *
 * @throws CommandError (wrong usage) naming those that there are.
 */
export function endpointNamed(endpoints: EndpointRegistry, idOrName: string): Endpoint {
  const endpoint = endpoints.find(idOrName);
  if (endpoint) return endpoint;
  const known = endpoints.all().map(({ name }) => name);
  throw usageError(`There is no endpoint ${JSON.stringify(idOrName)}; there are ${known.join(', ')}.`);
}
