import Joi from 'joi';

import { Failure } from '../../errors.js';
import {
  LINK_MEMBERS,
  readLinkRequest,
  requireLinks,
  signLink,
  type LinkRequest,
  type SignedLink,
} from '../call/sign-link.js';
import type { AdminParts } from './admin-parts.js';

const SCHEMA = Joi.object<LinkRequest & { readonly key: string }>({
  key: Joi.string().required(),
  ...LINK_MEMBERS,
});

/**
 * Makes a signed link with the rights of any key.
 *
 * @param body `{"key", "endpoint", "parameters", "expiresIn"}`.
 * @throws Failure BAD_REQUEST, ENDPOINT_NOT_FOUND or INVALID_PARAMETERS
 */
export function makeLink(parts: AdminParts, body: unknown): SignedLink {
  requireLinks(parts.links);
  const asked = readLinkRequest(SCHEMA, body);
  const endpoint = parts.endpoints.find(asked.endpoint);
  if (!endpoint) throw new Failure('ENDPOINT_NOT_FOUND', `No endpoint has the name or id ${asked.endpoint}.`);
  const key = parts.keys.findByName(asked.key);
  if (!key) throw new Failure('BAD_REQUEST', `No active key has the name ${asked.key}.`);
  return signLink(parts, key, endpoint, asked);
}
