import Joi from 'joi';

import type { Links } from '../../auth/links.js';
import { applyPinned } from '../../auth/pinned-parameters.js';
import type { Principal } from '../../auth/principal.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import { Failure } from '../../errors.js';
import type { Clock } from '../../query/ports.js';
import { validateParameters } from '../../query/validate-parameters.js';

export interface LinkDependencies {
  readonly endpoints: Endpoints;
  readonly keys: { readonly findByName: (name: string) => Principal | undefined };
  /** Undefined where `LINK_SECRET` is not set. */
  readonly links: Links | undefined;
  readonly clock: Clock;
  /** `PUBLIC_URL`; where it is undefined, links are paths. */
  readonly publicUrl?: string | undefined;
}

interface LinkRequest {
  readonly key: string;
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Seconds from now. */
  readonly expiresIn: number;
}

const SCHEMA = Joi.object<LinkRequest>({
  key: Joi.string().required(),
  endpoint: Joi.string().required(),
  parameters: Joi.object().pattern(Joi.string(), Joi.string().allow('')).default({}),
  expiresIn: Joi.number().integer().min(1).required(),
})
  .required()
  .prefs({ abortEarly: false });

/**
 * Makes a signed link.
 *
 * @param body `{"key", "endpoint", "parameters", "expiresIn"}`.
 * @returns the link, and the time at which it expires (ISO 8601).
 * @throws Failure BAD_REQUEST, ENDPOINT_NOT_FOUND or INVALID_PARAMETERS
 */
export function makeLink(
  { endpoints, keys, links, clock, publicUrl = '' }: LinkDependencies,
  body: unknown,
): { readonly link: string; readonly expires: string } {
  if (!links)
    throw new Failure(
      'BAD_REQUEST',
      'Signed links are disabled. Set LINK_SECRET in the environment of the gateway.',
    );
  const result = SCHEMA.validate(body);
  if (result.error) throw new Failure('BAD_REQUEST', `The body is invalid: ${result.error.message}.`);
  const { key: name, endpoint: idOrName, parameters, expiresIn } = result.value;
  const endpoint = endpoints.find(idOrName);
  if (!endpoint) throw new Failure('ENDPOINT_NOT_FOUND', `No endpoint has the name or id ${idOrName}.`);
  const key = keys.findByName(name);
  if (!key) throw new Failure('BAD_REQUEST', `No active key has the name ${name}.`);
  const nowMs = clock().getTime();
  const expiresAtMs = nowMs + expiresIn * 1000;
  const texts = new Map(Object.entries(parameters));
  try {
    const target = links.sign({ endpoint, parameters: texts, key, expiresAtMs, nowMs });
    const sent = new Map([...texts].map(([param, text]) => [param, { text, times: 1 }]));
    const applied = applyPinned(key, endpoint.parameters, sent);
    if ('parameters' in applied) validateParameters(endpoint, applied.parameters, { now: clock() });
    return {
      link: publicUrl + target,
      expires: new Date(Math.floor(expiresAtMs / 1000) * 1000).toISOString(),
    };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('BAD_REQUEST', (error as Error).message, { cause: error });
  }
}
