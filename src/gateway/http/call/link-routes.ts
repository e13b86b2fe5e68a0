import { Router, type RequestHandler } from 'express';
import Joi from 'joi';
import { isLosslessNumber } from 'lossless-json';

import type { Principal } from '../../auth/principal.js';
import { Failure } from '../../errors.js';
import type { ApiParts } from '../api-parts.js';
import { rejectMethod } from '../transport/reject-method.js';
import { contextOf, principalOf } from '../transport/request-context.js';
import { findEndpoint, requireOpen } from './find-endpoint.js';
import { isJsonObject } from './json-text.js';
import { MAX_PARAMETERS } from './query-string.js';
import { LINK_MEMBERS, readLinkRequest, requireLinks, signLink, type LinkRequest } from './sign-link.js';

/** `/api/links`: a key with the right to sign links signs them itself; a link has the rights and limits of the key. */
export function linkRoutes(parts: ApiParts): Router {
  const { links } = parts;
  const router = Router({ caseSensitive: true });
  router
    .route('/links')
    .get((request, response) => {
      const mayLink = links !== undefined && refusalOf(principalOf(contextOf(request))) === undefined;
      response
        .set('Cache-Control', 'no-store')
        .json({ mayLink, maxExpiresIn: links?.maxLifetimeSeconds ?? 0 });
    })
    .post(signOwnLink(parts))
    .all(rejectMethod('POST'));
  return router;
}

const SCHEMA = Joi.object<LinkRequest>(LINK_MEMBERS);

/** Limits of the body: the names of a link's parameters, and no list. */
const BODY_LIMITS = { names: MAX_PARAMETERS, values: MAX_PARAMETERS };

/** @throws Failure */
function signOwnLink(parts: ApiParts): RequestHandler {
  return async (request, response) => {
    const principal = principalOf(contextOf(request));
    const refusal = refusalOf(principal);
    if (refusal !== undefined) throw new Failure('FORBIDDEN', refusal);
    requireLinks(parts.links);
    const body = await parts.bodies.read(request, response, BODY_LIMITS);
    const asked = readLinkRequest(SCHEMA, withNumbers(body));
    await parts.bodies.beforeValidating(asked.parameters);
    const endpoint = findEndpoint(parts.endpoints, asked.endpoint, principal);
    requireOpen(principal, endpoint);
    response.set('Cache-Control', 'no-store').json(signLink(parts, principal, endpoint, asked));
  };
}

/** Why a principal may not sign links; undefined where it may. */
function refusalOf({ via, mayLink }: Principal): string | undefined {
  if (via !== undefined)
    return 'Only a key may sign links, because a link names one. Use a key with mayLink.';
  return mayLink ? undefined : 'This key may not sign links. Use a key with mayLink.';
}

/** A parsed body in which its direct members have numbers in place of `LosslessNumber`. */
function withNumbers(body: unknown): unknown {
  if (!isJsonObject(body)) return body;
  const members: readonly (readonly [string, unknown])[] = Object.entries(body);
  return Object.fromEntries(
    members.map(([name, value]) => [name, isLosslessNumber(value) ? Number(value.value) : value]),
  );
}
