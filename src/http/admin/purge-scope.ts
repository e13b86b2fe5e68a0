import Joi from 'joi';

import type { EndpointRegistry } from '../../endpoint/registry.js';
import { Failure } from '../../errors.js';
import { REPRESENTATIONS } from '../../formats/representation.js';
import { keyOf } from '../../query/call.js';
import type { PurgeScope } from '../../query/result-store.js';
import { validateParameters } from '../../query/validate-parameters.js';

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
 * What a purge request means: `{}` all, `{"endpoint"}` one endpoint, with `"parameters"` one parameter set of it, in every
 * representation, JSON first.
 *
 * @throws Failure BAD_REQUEST, ENDPOINT_NOT_FOUND or INVALID_PARAMETERS
 */
export function readPurgeScopes(
  endpoints: EndpointRegistry,
  body: unknown,
): readonly [PurgeScope, ...PurgeScope[]] {
  const result = SCHEMA.validate(body ?? {});
  if (result.error)
    throw new Failure('BAD_REQUEST', `The purge is not as it should be: ${result.error.message}.`);
  const { endpoint: idOrName, parameters } = result.value;
  if (idOrName === undefined) return [{}];
  const endpoint = endpoints.find(idOrName);
  if (!endpoint) throw new Failure('ENDPOINT_NOT_FOUND', `There is no endpoint ${idOrName}.`);
  if (!parameters) return [{ endpointId: endpoint.id }];
  const raw = new Map(Object.entries(parameters).map(([name, text]) => [name, { text, times: 1 }]));
  const question = { endpoint, values: validateParameters(endpoint, raw), scope: '' };
  const others = [...REPRESENTATIONS.values()].map((representation) =>
    keyOf({ ...question, representation }),
  );
  const json = keyOf(question);
  return [json, ...others.filter(({ hash }) => hash !== json.hash)];
}
