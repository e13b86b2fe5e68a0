import path from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type RequestHandler, type Router } from 'express';

import { mayCallWithPins } from '../../auth/pinned-parameters.js';
import { SWAGGER_UI_FOLDER } from '../../../package-files.js';
import { authenticate } from '../call/credentials.js';

import { limitRequests } from '../call/limit-requests.js';
import type { ApiParts } from '../api-parts.js';
import { openApiDocument } from './openapi/openapi-document.js';
import { API_DOCS_PAGE, API_DOCS_STYLE } from './pages/api-docs-page.js';
import { DOCUMENT_CSP } from './pages/content-security-policy.js';
import { rejectMethod } from '../transport/reject-method.js';
import { contextOf, principalOf } from '../transport/request-context.js';

/** Caching of the page's files: they change with the gateway's version only, so that an old copy may be used for an hour. */
const PUBLIC = 'public, max-age=3600';

const SCRIPT = fileURLToPath(new URL('pages/api-docs-script.mjs', import.meta.url));

/** The files that the page loads, by their names below `/docs/`. */
const FILES = {
  'swagger-ui.css': path.join(SWAGGER_UI_FOLDER, 'swagger-ui.css'),
  'swagger-ui-bundle.js': path.join(SWAGGER_UI_FOLDER, 'swagger-ui-bundle.js'),
  'favicon.png': path.join(SWAGGER_UI_FOLDER, 'favicon-32x32.png'),
  'api-docs.js': SCRIPT,
};

/** Routes of `/openapi.json`, which needs a key, and of `/docs`, the page that shows it. */
export function apiDocsRoutes(parts: ApiParts): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  router
    .route('/openapi.json')
    .get(
      authenticate(parts.credentials, parts.endpoints),
      limitRequests(parts.limiter, parts.endpoints),
      sendDescription(parts),
    )
    .all(rejectMethod());
  router.route('/docs').get(sendText('html', API_DOCS_PAGE)).all(rejectMethod());
  // The page's links are relative to `/docs` without a trailing slash, so that it works below any path of a proxy.
  router.route('/docs/').get(redirect('../docs')).all(rejectMethod());
  router.route('/docs/api-docs.css').get(sendText('css', API_DOCS_STYLE)).all(rejectMethod());
  for (const [name, file] of Object.entries(FILES)) {
    router.route(`/docs/${name}`).get(sendFile(file)).all(rejectMethod());
  }
  return router;
}

function sendDescription({ endpoints, version, times, publicUrl: serverUrl }: ApiParts): RequestHandler {
  return (request, response) => {
    const principal = principalOf(contextOf(request));
    const document = openApiDocument({
      endpoints: endpoints.all().filter((endpoint) => mayCallWithPins(principal, endpoint)),
      pinned: new Set(principal.pinned?.keys()),
      ...{ version, times, serverUrl },
    });
    response.set('Cache-Control', 'no-store').json(document);
  };
}

function sendText(type: 'html' | 'css', text: string): RequestHandler {
  return (_request, response) => {
    response.set({ 'Content-Security-Policy': DOCUMENT_CSP, 'Cache-Control': PUBLIC }).type(type).send(text);
  };
}

function sendFile(file: string): RequestHandler {
  const { dir: root, base } = path.parse(file);
  return (_request, response, next) => {
    const options = { root, cacheControl: false, headers: { 'Cache-Control': PUBLIC } };
    if (base.endsWith('.mjs')) response.type('text/javascript');
    // Where the client disconnected after the headers were sent, no problem can be sent.
    response.sendFile(base, options, (error?: Error) => {
      if (error && !response.headersSent) next(error);
    });
  };
}

function redirect(to: string): RequestHandler {
  return (_request, response) => {
    response.redirect(308, to);
  };
}
