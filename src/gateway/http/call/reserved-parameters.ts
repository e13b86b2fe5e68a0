import { LINK_PARAMETERS } from '../../auth/links.js';
import { CALL_PARAMETERS } from '../../../endpoint/reserved.js';

const OWN: ReadonlySet<string> = new Set(CALL_PARAMETERS);
const LINK: ReadonlySet<string> = new Set(LINK_PARAMETERS);

/** Whether a name of the query string is the gateway's own. */
export function isOwnParameter(name: string): boolean {
  return OWN.has(name);
}

/** Whether a name has a meaning in the query string only: one of the gateway's own, or a part of a signed link. */
export function belongsInQueryString(name: string): boolean {
  return isOwnParameter(name) || LINK.has(name);
}
