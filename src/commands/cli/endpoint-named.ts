import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Endpoints } from '../../endpoint/registry.js';
import { usageError } from './exit-codes.js';

/**
 * The endpoint with a name or id.
 *
 * @throws CommandError (invalid usage) that lists the endpoints.
 */
export function endpointNamed(endpoints: Endpoints, idOrName: string): Endpoint {
  const endpoint = endpoints.find(idOrName);
  if (endpoint) return endpoint;
  const known = endpoints.all().map(({ name }) => name);
  throw usageError(
    `No endpoint has the name or id ${JSON.stringify(idOrName)}. Use one of ${known.join(', ')}.`,
  );
}
