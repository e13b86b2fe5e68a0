import { USAGE_ENDPOINT } from '../../observability/usage-endpoint.js';
import { executeCall } from '../../query/execute-call.js';
import { EVERY_ROW } from '../../query/row-scope.js';
import { validateParameters } from '../../query/validate-parameters.js';
import type { AdminParts } from './admin-parts.js';

/**
 * The rows of `gateway.usage` in `GET /usage`, by key, for the last 7 days; null without a request log.
 *
 * @throws Failure
 */
export async function describeUsage(parts: AdminParts, requestId: string): Promise<unknown> {
  const endpoint = parts.endpoints.find(USAGE_ENDPOINT.name);
  if (!endpoint) return null;
  const values = validateParameters(endpoint, new Map(), { now: parts.clock() });
  const { signal } = new AbortController();
  const { result } = await executeCall(parts, {
    endpoint,
    values,
    scope: EVERY_ROW,
    requestId,
    signal,
    demand: 'any',
  });
  return (JSON.parse(result.bodies.identity.toString()) as { readonly result: unknown }).result;
}
