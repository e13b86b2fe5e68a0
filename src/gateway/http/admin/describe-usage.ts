import { USAGE_ENDPOINT } from '../../observability/usage-endpoint.js';
import { EVERY_ROW } from '../../query/row-scope.js';
import { validateParameters } from '../../query/validate-parameters.js';
import type { ApiParts } from '../api-parts.js';

/**
 * The rows of `gateway.usage` in `GET /usage`: of the last 7 days, by key; null without a request log.
 *
 * @throws Failure
 */
export async function describeUsage(
  { endpoints, executeCall, clock }: Pick<ApiParts, 'endpoints' | 'executeCall' | 'clock'>,
  requestId: string,
): Promise<unknown> {
  const endpoint = endpoints.find(USAGE_ENDPOINT.name);
  if (!endpoint) return null;
  const values = validateParameters(endpoint, new Map(), { now: clock() });
  const { signal } = new AbortController();
  const { result } = await executeCall({
    endpoint,
    values,
    scope: EVERY_ROW,
    requestId,
    signal,
    demand: 'any',
  });
  return (JSON.parse(result.bodies.identity.toString()) as { readonly result: unknown }).result;
}
