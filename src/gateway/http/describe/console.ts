import path from 'node:path';
import express, { Router, type RequestHandler, type Response } from 'express';

import { DOCUMENT_CSP } from './pages/content-security-policy.js';

/**
 * Serves a page of the built console at `/`, and its files below `/assets`. Where the console has not been built, requests
 * go to the next handler.
 *
 * @param page name of the page's file in the folder.
 */
export function serveConsole(folder: string, page: string): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/', (_request, response, next) => {
    setDocumentHeaders(response);
    // The names of the assets contain a hash, so browsers revalidate the page only.
    response.set('Cache-Control', 'no-cache');
    response.sendFile(page, { root: folder, cacheControl: false }, (error?: Error) => {
      if (!error || response.headersSent) return;
      for (const name of ['Content-Security-Policy', 'Cache-Control']) response.removeHeader(name);
      next();
    });
  });
  router.use(
    '/assets',
    express.static(path.join(folder, 'assets'), {
      immutable: true,
      maxAge: '1y',
      index: false,
      redirect: false,
      setHeaders: setDocumentHeaders,
    }),
  );
  return router;
}

function setDocumentHeaders(response: Response): void {
  response.set({
    'Content-Security-Policy': DOCUMENT_CSP,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  });
}
