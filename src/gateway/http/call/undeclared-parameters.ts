import { closestName } from '../../../endpoint/closest-name.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import { CALL_PARAMETERS, NUMBERS_PARAMETER } from '../../../endpoint/reserved.js';
import { LINK_PARAMETERS } from '../../auth/links.js';
import type { ParamProblem } from '../../errors.js';
import { listExample } from '../../query/raw-parameters.js';

export const IGNORED_PARAMETERS = 'X-Ignored-Parameters';

/** Maximum number of names that a response shows, and maximum bytes of all of them in a header. */
const MAX_NAMES = 10;
const MAX_HEADER_BYTES = 512;
/** Maximum characters of a name that a problem shows. A longer name is not compared with declared names. */
const MAX_NAME = 64;

/** The names of a query string that neither the endpoint nor the gateway reads. */
export function undeclaredIn(
  names: Iterable<string>,
  { parameters, settings }: Pick<Endpoint, 'parameters' | 'settings'>,
): readonly string[] {
  const undeclared: string[] = [];
  for (const name of names) {
    if (parameters.has(name) || belongsInQueryString(name) || name === '') continue;
    if (name !== 'sql' || settings.sandboxing === 'disabled') undeclared.push(name);
  }
  return undeclared;
}

/** The value of `X-Ignored-Parameters`: the first names, percent-encoded; undefined where there are none. */
export function ignoredParameters(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  let value = '';
  for (const name of names.slice(0, MAX_NAMES)) {
    const encoded = encodeURIComponent(shown(name));
    const longer = value === '' ? encoded : `${value}, ${encoded}`;
    if (longer.length > MAX_HEADER_BYTES) break;
    value = longer;
  }
  return value;
}

/** The problems of a strict call: each undeclared name, with the known name that the caller probably meant. */
export function problemsOfUndeclared(
  names: readonly string[],
  { parameters }: Pick<Endpoint, 'parameters'>,
): readonly ParamProblem[] {
  const problems = names.slice(0, MAX_NAMES).map((name): ParamProblem => {
    return { param: shown(name), problem: `is no parameter of this endpoint${adviceFor(name, parameters)}` };
  });
  const more = names.length - problems.length;
  const rest = {
    param: 'request',
    problem: `has ${more} more names that are no parameters of this endpoint`,
  };
  return more > 0 ? [...problems, rest] : problems;
}

function adviceFor(name: string, parameters: Endpoint['parameters']): string {
  if (name.length > MAX_NAME) return '';
  // Some clients write the items of a list as `l[]=a` or `l[0]=a`.
  const [, list = name] = /^(.+)\[\d*\]$/.exec(name) ?? [];
  if (parameters.get(list)?.isList) return ` (write ${listExample(list)})`;
  const closest = closestName(list, [...parameters.keys(), ...OWN]);
  return closest === undefined ? '' : ` (did you mean “${closest}”?)`;
}

/** A name in an error: cut to `MAX_NAME` characters, without half a character at its end. */
const shown = (name: string): string => name.slice(0, MAX_NAME).replaceAll(/\p{Surrogate}/gu, '');

const OWN: ReadonlySet<string> = new Set([...CALL_PARAMETERS, NUMBERS_PARAMETER]);
const LINK: ReadonlySet<string> = new Set(LINK_PARAMETERS);

/** Whether an undeclared name of the query string is one of the gateway's own parameters. */
export function isOwnParameter(name: string): boolean {
  return OWN.has(name);
}

/** Whether a name has a meaning in the query string only: a parameter of the gateway, or a part of a signed link. */
export function belongsInQueryString(name: string): boolean {
  return isOwnParameter(name) || LINK.has(name);
}
