import { LINK_PARAMETERS } from '../auth/links.js';
import type { Endpoint } from '../endpoint/endpoint.js';

/** The gateway's own parameters of a call. */
const OWN: ReadonlySet<string> = new Set(['format', 'download', 'csv_safe', 'complete', 'api_key']);
const LINK: ReadonlySet<string> = new Set(LINK_PARAMETERS);

/** Whether a name of the query string is the gateway's own: never where the endpoint declares it. */
export function isOwnParameter({ parameters }: Endpoint, name: string): boolean {
  return OWN.has(name) && !parameters.has(name);
}

/** Whether a name has a meaning in the query string only: one of the gateway's own, or a part of a signed link. */
export function belongsInQueryString(endpoint: Endpoint, name: string): boolean {
  return isOwnParameter(endpoint, name) || (LINK.has(name) && !endpoint.parameters.has(name));
}
