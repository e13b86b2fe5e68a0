import type { Endpoint } from '../../../endpoint/endpoint.js';

const made = new WeakMap<Endpoint, readonly string[]>();

/**
 * The headers of each response of a deprecated endpoint: `Deprecation` (RFC 9745, a date of RFC 9651), `Sunset` (RFC 8594, an
 * HTTP date), and `Link` to the successor and to the description of the endpoint, which has the deprecation.
 *
 * @param publicUrl `PUBLIC_URL`; without it the links are relative to the host
 * @returns alternating names and values; empty where the endpoint is not deprecated
 */
export function deprecationHeaders(endpoint: Endpoint, publicUrl = ''): readonly string[] {
  const { deprecated, name } = endpoint;
  if (!deprecated) return NONE;
  const known = made.get(endpoint);
  if (known) return known;
  const { since, sunset, successor } = deprecated;
  const link = (path: string, relation: string): string =>
    `<${publicUrl}/api/endpoints/${path}>; rel="${relation}"`;
  const links = [
    ...(successor === undefined ? [] : [link(`query/${successor}`, 'successor-version')]),
    link(name, 'deprecation'),
    ...(sunset === undefined ? [] : [link(name, 'sunset')]),
  ];
  const headers = [
    ...['Deprecation', `@${Math.floor(since / 1000)}`],
    ...(sunset === undefined ? [] : ['Sunset', new Date(sunset).toUTCString()]),
    ...['Link', links.join(', ')],
  ];
  made.set(endpoint, headers);
  return headers;
}

const NONE: readonly string[] = [];
