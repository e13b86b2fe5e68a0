import Joi from 'joi';

import { Failure } from '../../errors.js';
import { REPRESENTATIONS } from '../../formats/representation.js';
import { keyOf, STATEMENTS } from '../../query/cache-key.js';
import type { PurgeScope } from '../../query/result-store.js';
import { validateParameters } from '../../query/validate-parameters.js';
import type { ApiParts } from '../api-parts.js';

interface PurgeRequest {
  readonly endpoint?: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

const SCHEMA = Joi.object<PurgeRequest>({
  endpoint: Joi.string(),
  parameters: Joi.object().pattern(Joi.string(), Joi.string().allow('')),
})
  .with('parameters', 'endpoint')
  .prefs({ abortEarly: false });

/**
 * Reads the scopes of a purge: `{}` is everything, `{"endpoint"}` one endpoint. With `"parameters"` it is one parameter set of
 * that endpoint: one scope for each representation, JSON first. The scope of statements over tables comes last.
 *
 * @throws Failure BAD_REQUEST, ENDPOINT_NOT_FOUND or INVALID_PARAMETERS
 */
export function readPurgeScopes(
  { endpoints, clock, seal }: Pick<ApiParts, 'endpoints' | 'clock' | 'seal'>,
  body: unknown,
): readonly [PurgeScope, ...PurgeScope[]] {
  const result = SCHEMA.validate(body ?? {});
  if (result.error) throw new Failure('BAD_REQUEST', `The body is invalid: ${result.error.message}.`);
  const { endpoint: idOrName, parameters } = result.value;
  if (idOrName === undefined) return [{}];
  const endpoint = endpoints.find(idOrName);
  if (!endpoint) throw new Failure('ENDPOINT_NOT_FOUND', `No endpoint has the name or id ${idOrName}.`);
  const statements = { endpointId: STATEMENTS };
  if (!parameters) return [{ endpointId: endpoint.id }, statements];
  const raw = new Map(Object.entries(parameters).map(([name, text]) => [name, { text, times: 1 }]));
  const query = { endpoint, values: validateParameters(endpoint, raw, { now: clock(), seal }), scope: '' };
  const others = [...REPRESENTATIONS.values()].map((representation) => keyOf({ ...query, representation }));
  const json = keyOf(query);
  return [json, ...others.filter(({ hash }) => hash !== json.hash), statements];
}
