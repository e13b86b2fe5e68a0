import type { Endpoint } from '../../../endpoint/endpoint.js';
import { Failure } from '../../errors.js';
import type { JsonCounts, JsonLimits } from './json-counts.js';
import { MAX_LIST_ITEMS } from './json-parameters.js';
import { MAX_PARAMETERS } from './query-string.js';

/** Of a message, whose unknown names are counted in its error, because a model corrects them. */
const MESSAGE_NAMES = 16_384;

/** What the body of a call may have: as many names as a query string, and the longest lists. */
export function limitsOfCall(endpoint: Endpoint): JsonLimits {
  return limitsWith(MAX_PARAMETERS, listsOf(endpoint));
}

const mostLists = new WeakMap<readonly Endpoint[], number>();

/** What a message may have, which can call any endpoint. @param endpoints the same array until they are replaced. */
export function limitsOfMessage(endpoints: readonly Endpoint[]): JsonLimits {
  const lists = mostLists.get(endpoints) ?? Math.max(0, ...endpoints.map(listsOf));
  mostLists.set(endpoints, lists);
  return limitsWith(MESSAGE_NAMES, lists);
}

function listsOf({ parameters }: Endpoint): number {
  return [...parameters.values()].filter(({ isList }) => isList).length;
}

const limitsWith = (names: number, lists: number): JsonLimits => ({
  names,
  values: names + lists * MAX_LIST_ITEMS,
});

/** Why a body is rejected before it is parsed: BAD_REQUEST for names, as of a query string, and BODY_TOO_LARGE for values. */
export function excessOf(counts: JsonCounts, limits: JsonLimits): Failure | undefined {
  if (counts.names > limits.names) {
    return new Failure(
      'BAD_REQUEST',
      `The body has more than ${limits.names} names. Send only parameters of the endpoint.`,
    );
  }
  if (counts.values <= limits.values) return undefined;
  return new Failure(
    'BODY_TOO_LARGE',
    `The body has more than ${limits.values} values in its arrays and objects, which is what its parameters can take. ` +
      'Send fewer items.',
  );
}
