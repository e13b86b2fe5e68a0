import type { Endpoint } from '../../../endpoint/endpoint.js';

const NONE: readonly string[] = [];

/**
 * The headers of each response of a deprecated endpoint: `Deprecation` (RFC 9745, a date of RFC 9651), `Sunset` (RFC 8594, an
 * HTTP date), and `Link` to the successor and to the endpoint's description, which explains the deprecation.
 *
 * @param publicUrl `PUBLIC_URL`; without it, the links are relative to the host
 * @returns alternating names and values; empty where the endpoint is not deprecated
 */
export function deprecationHeaders({ deprecated, name }: Endpoint, publicUrl = ''): readonly string[] {
  if (!deprecated) return NONE;
  const { since, sunset, successor } = deprecated;
  const link = (path: string, relation: string): string =>
    `<${publicUrl}/api/endpoints/${path}>; rel="${relation}"`;
  const links = [
    ...(successor === undefined ? [] : [link(`query/${successor}`, 'successor-version')]),
    link(name, 'deprecation'),
    ...(sunset === undefined ? [] : [link(name, 'sunset')]),
  ];
  return [
    ...['Deprecation', `@${Math.floor(Date.parse(since) / 1000)}`],
    ...(sunset === undefined ? [] : ['Sunset', new Date(sunset).toUTCString()]),
    ...['Link', links.join(', ')],
  ];
}
