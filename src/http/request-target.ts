import type { RequestListener } from 'node:http';

/** Only calls of endpoints have parameters with long values. */
const CALLS = '/api/endpoints/query/';
/** No path that there is, and no name of an endpoint, is as long. */
const MAX_PATH_BYTES = 2048;
/**
 * Bytes of the whole query string of a request that is no call, before authentication. Not the limit of a value, which
 * is of decoded text: no route but a call needs a long one.
 */
const MAX_OTHER_QUERY_BYTES = 8192;

/**
 * Gives an Express application the path of each request alone, as `url`; the whole target is in `originalUrl`. Express
 * reads the URL again for each path at which routes are mounted, before anybody is authenticated: 25 ms for 450 kB.
 * Of a path that is too long its beginning is enough to find nothing.
 */
export function withPathAlone(app: RequestListener): RequestListener {
  return (request, response) => {
    const { url: originalUrl = '/' } = request;
    app(Object.assign(request, { originalUrl, url: shortened(pathOf(originalUrl)) }), response);
  };
}

/** What is too large about a request target; undefined where nothing is. */
export function problemOfTarget(target: string): string | undefined {
  const path = pathOf(target);
  if (path.startsWith(CALLS) || target.length - path.length <= MAX_OTHER_QUERY_BYTES) return undefined;
  return `The query string is over ${MAX_OTHER_QUERY_BYTES} bytes; only calls of endpoints may have more.`;
}

function pathOf(target: string): string {
  const start = target.indexOf('?');
  return start === -1 ? target : target.slice(0, start);
}

/** Not within an escape, which would then be a broken one. */
function shortened(path: string): string {
  return path.length > MAX_PATH_BYTES ? path.slice(0, MAX_PATH_BYTES).replace(/%.?$/, '') : path;
}
