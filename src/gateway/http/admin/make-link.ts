import Joi from 'joi';

import type { Links } from '../../auth/links.js';
import type { Principal } from '../../auth/principal.js';
import type { Endpoints } from '../../../endpoint/registry.js';
import { Failure } from '../../errors.js';
import {
  LINK_MEMBERS,
  readLinkRequest,
  requireLinks,
  signLink,
  type LinkRequest,
  type SignedLink,
  type SigningDependencies,
} from '../call/sign-link.js';

export interface LinkDependencies extends Omit<SigningDependencies, 'links'> {
  readonly endpoints: Endpoints;
  readonly keys: { readonly findByName: (name: string) => Principal | undefined };
  /** Undefined where `LINK_SECRET` is not set. */
  readonly links: Links | undefined;
}

const SCHEMA = Joi.object<LinkRequest & { readonly key: string }>({
  key: Joi.string().required(),
  ...LINK_MEMBERS,
});

/**
 * Makes a signed link of any key.
 *
 * @param body `{"key", "endpoint", "parameters", "expiresIn"}`.
 * @throws Failure BAD_REQUEST, ENDPOINT_NOT_FOUND or INVALID_PARAMETERS
 */
export function makeLink(dependencies: LinkDependencies, body: unknown): SignedLink {
  const links = requireLinks(dependencies.links);
  const asked = readLinkRequest(SCHEMA, body);
  const endpoint = dependencies.endpoints.find(asked.endpoint);
  if (!endpoint) throw new Failure('ENDPOINT_NOT_FOUND', `No endpoint has the name or id ${asked.endpoint}.`);
  const key = dependencies.keys.findByName(asked.key);
  if (!key) throw new Failure('BAD_REQUEST', `No active key has the name ${asked.key}.`);
  return signLink({ ...dependencies, links }, key, endpoint, asked);
}
