import type { RequestListener } from 'node:http';

/** The path prefix of calls, the only requests whose parameters have long values. */
const CALL_PREFIX = '/api/endpoints/query/';
/** Longer than every route and every endpoint's name. */
const MAX_PATH_BYTES = 2048;
/**
 * Bytes of the encoded query string of a request that is not a call. Checked before authentication; the limit of a single
 * parameter is another one, in decoded bytes.
 */
const MAX_OTHER_QUERY_BYTES = 8192;

/**
 * Passes requests to an Express application with the path only as `url`, and the whole target as `originalUrl`. Express
 * parses `url` again for each mount path, before authentication: with 450 kB of query string that takes 25 ms. A path that
 * is too long is cut, because it matches no route anyway.
 */
export function withPathOnly(app: RequestListener): RequestListener {
  return (request, response) => {
    const { url: originalUrl = '/' } = request;
    app(Object.assign(request, { originalUrl, url: shortened(pathOf(originalUrl)) }), response);
  };
}

/** Names the limit that a request target exceeds; undefined where it exceeds none. */
export function problemOfTarget(target: string): string | undefined {
  const path = pathOf(target);
  if (path.startsWith(CALL_PREFIX) || target.length - path.length <= MAX_OTHER_QUERY_BYTES) return undefined;
  return `The query string has more than ${MAX_OTHER_QUERY_BYTES} bytes, which only calls of endpoints may have.`;
}

function pathOf(target: string): string {
  const start = target.indexOf('?');
  return start === -1 ? target : target.slice(0, start);
}

/** Does not cut within a percent escape, because the rest would be invalid. */
function shortened(path: string): string {
  return path.length > MAX_PATH_BYTES ? path.slice(0, MAX_PATH_BYTES).replace(/%.?$/, '') : path;
}
