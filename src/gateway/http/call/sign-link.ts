import Joi from 'joi';

import type { Links } from '../../auth/links.js';
import { applyPinned } from '../../auth/pinned-parameters.js';
import type { Principal } from '../../auth/principal.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import { Failure } from '../../errors.js';
import { validateParameters } from '../../query/validate-parameters.js';
import type { ApiParts } from '../api-parts.js';

/** A request for a link. */
export interface LinkRequest {
  /** Name or id of the endpoint. */
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Seconds until the link expires. */
  readonly expiresIn: number;
}

/** A link, and the time at which it expires (ISO 8601). */
export interface SignedLink {
  readonly link: string;
  readonly expires: string;
}

/** The members of a {@link LinkRequest}. */
export const LINK_MEMBERS = {
  endpoint: Joi.string().required(),
  parameters: Joi.object().pattern(Joi.string(), Joi.string().allow('')).default({}),
  expiresIn: Joi.number().integer().min(1).required(),
};

/** @throws Failure BAD_REQUEST where `LINK_SECRET` is not set */
export function requireLinks(links: Links | undefined): Links {
  if (links) return links;
  throw new Failure(
    'BAD_REQUEST',
    'Signed links are disabled. Set LINK_SECRET in the environment of the gateway.',
  );
}

/** @throws Failure BAD_REQUEST */
export function readLinkRequest<Asked extends LinkRequest>(
  schema: Joi.ObjectSchema<Asked>,
  body: unknown,
): Asked {
  const result = schema.required().validate(body, { abortEarly: false });
  if (result.error) throw new Failure('BAD_REQUEST', `The body is invalid: ${result.error.message}.`);
  return result.value;
}

/**
 * Signs a link to an endpoint, with the rights and limits of a key.
 *
 * @throws Failure BAD_REQUEST or INVALID_PARAMETERS
 */
export function signLink(
  { links, clock, publicUrl = '' }: Pick<ApiParts, 'links' | 'clock' | 'publicUrl'>,
  key: Principal,
  endpoint: Endpoint,
  { parameters, expiresIn }: LinkRequest,
): SignedLink {
  const nowMs = clock().getTime();
  const expiresAtMs = nowMs + expiresIn * 1000;
  const texts = new Map(Object.entries(parameters));
  try {
    const target = requireLinks(links).sign({ endpoint, parameters: texts, key, expiresAtMs, nowMs });
    const sent = new Map([...texts].map(([param, text]) => [param, { text, times: 1 }]));
    const applied = applyPinned(key, endpoint.parameters, sent);
    if ('parameters' in applied) validateParameters(endpoint, applied.parameters, { now: clock() });
    // A link must not outlive its key.
    const endsAtMs = Math.min(expiresAtMs, key.expiresAt ?? Infinity);
    return {
      link: publicUrl + target,
      expires: new Date(Math.floor(endsAtMs / 1000) * 1000).toISOString(),
    };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('BAD_REQUEST', (error as Error).message, { cause: error });
  }
}
