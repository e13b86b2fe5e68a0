import type { RequestListener } from 'node:http';

/**
 * Passes requests to an Express application with the path only as `url`, and the whole target as `originalUrl`. Express
 * parses `url` again for each mount path, before authentication: with 60 kB of query string that takes milliseconds.
 */
export function withPathOnly(app: RequestListener): RequestListener {
  return (request, response) => {
    const { url: originalUrl = '/' } = request;
    const [url] = originalUrl.split('?', 1);
    app(Object.assign(request, { originalUrl, url }), response);
  };
}
