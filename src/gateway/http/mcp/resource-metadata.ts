import { Router, type ErrorRequestHandler, type RequestHandler } from 'express';

import { Failure } from '../../errors.js';
import { publicUrlOf } from '../transport/public-url.js';
import { rejectMethod } from '../transport/reject-method.js';

const RESOURCE = '/mcp';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** The path of the metadata of `/mcp` (RFC 9728, section 3.1). */
const METADATA = `${WELL_KNOWN}${RESOURCE}`;

/** `private`, because the document can contain the host of the request. */
const CACHE_CONTROL = 'private, max-age=300';

/**
 * Whether the issuer of tokens can be an authorization server, whose metadata clients find by its URL (RFC 8414, section 2: without
 * query and fragment). `http` is for development. The issuer of an application that signs its own tokens can be any text.
 */
export function isAuthorizationServer(issuer: string): boolean {
  return /^https?:\/\/[^\s?#]+$/i.test(issuer) && URL.canParse(issuer);
}

/**
 * Serves the metadata of `/mcp` as a protected resource (RFC 9728), by which a client without a key finds the issuer of tokens.
 * The root of the well-known path has the metadata too, because MCP clients try it next.
 */
export function resourceMetadataRoutes(authorizationServer: string, publicUrl: string | undefined): Router {
  const router = Router({ caseSensitive: true });
  for (const path of [METADATA, WELL_KNOWN]) {
    router.route(path).get(sendMetadata(authorizationServer, publicUrl)).all(rejectMethod());
  }
  return router;
}

function sendMetadata(authorizationServer: string, publicUrl: string | undefined): RequestHandler {
  return (request, response) => {
    const url = publicUrlOf(request, publicUrl);
    if (url === undefined) {
      throw new Failure(
        'BAD_REQUEST',
        'The Host header, or X-Forwarded-Proto or X-Forwarded-Host of a proxy, is missing or malformed.',
      );
    }
    response.set('Cache-Control', CACHE_CONTROL).json({
      resource: `${url}${RESOURCE}`,
      // The issuer exactly as in tokens, because clients compare each character.
      authorization_servers: [authorizationServer],
      bearer_methods_supported: ['header'],
      resource_name: 'Querygate',
    });
  };
}

/** Names the metadata in the challenge of a 401 (RFC 9728, section 5.1). */
export function nameMetadata(publicUrl: string | undefined): ErrorRequestHandler {
  return (error: unknown, request, _response, next) => {
    const url = publicUrlOf(request, publicUrl);
    if (!(error instanceof Failure) || error.status !== 401 || url === undefined) {
      next(error);
      return;
    }
    const { code, message, details } = error;
    next(new Failure(code, message, { ...details, resourceMetadata: `${url}${METADATA}` }));
  };
}
