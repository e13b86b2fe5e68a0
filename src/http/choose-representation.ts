import Negotiator from 'negotiator';

import type { Endpoint } from '../endpoint/endpoint.js';
import { Failure, type Problem } from '../errors.js';
import type { RawParameter, RawParameters } from '../execution/raw-parameters.js';
import {
  FORMAT_FACTS,
  FORMATS,
  representationOf,
  type Format,
  type Representation,
  type Times,
} from '../execution/representation.js';
import { invalidParameters } from '../execution/validate-parameters.js';
import { preferredTimes } from './preferences.js';

/** What a request says of how it wants its answer. */
export interface Wishes {
  readonly accept: string | undefined;
  readonly prefer: string | undefined;
}

/** How an answer is to be presented. */
export interface Presentation {
  readonly representation: Representation;
  /** Whether it is to be kept as a file. */
  readonly download: boolean;
  /** The preference that decided, as `Preference-Applied` names it. */
  readonly applied: string | undefined;
}

const NO_WISHES: Wishes = { accept: undefined, prefer: undefined };

/** Media types with what a header of theirs can name; our preference first. */
const OFFERED = new Map(
  FORMATS.map((format) => [
    format === 'csv' ? `${FORMAT_FACTS.csv.mediaType};header=present` : FORMAT_FACTS[format].mediaType,
    format,
  ]),
);

/**
 * Chooses the representation of an answer: `format` of the query string, else `Accept`, and `Prefer` for the times. A
 * parameter that the endpoint itself declares under such a name stays the endpoint's.
 *
 * @param times how the gateway writes them where nobody says otherwise.
 * @throws Failure NOT_ACCEPTABLE, or INVALID_PARAMETERS
 */
export function choosePresentation(
  endpoint: Endpoint,
  sent: RawParameters,
  wishes: Wishes,
  times: Times,
): Presentation {
  const format = formatAsked(endpoint, sent) ?? acceptedFormat(wishes.accept);
  const formulaSafe = switchAsked(endpoint, sent, 'csv_safe');
  const download = switchAsked(endpoint, sent, 'download');
  const preferred = preferredTimes(wishes.prefer);
  const representation = representationOf(format, { times: preferred ?? times, formulaSafe });
  const isApplied = preferred !== undefined && !FORMAT_FACTS[format].hasTypedTimes;
  return { representation, download, applied: isApplied ? `timestamps=${preferred}` : undefined };
}

/** Whether a request gets what its target says alone: the same as any that has nothing else to say. */
export function isPlain(
  { representation }: Presentation,
  endpoint: Endpoint,
  sent: RawParameters,
  times: Times,
): boolean {
  return choosePresentation(endpoint, sent, NO_WISHES, times).representation === representation;
}

function formatAsked(endpoint: Endpoint, sent: RawParameters): Format | undefined {
  const asked = ownParameter(endpoint, sent, 'format');
  if (asked === undefined) return undefined;
  const format = FORMATS.find((name) => name === asked.text);
  if (format === undefined) throw notAcceptable();
  return format;
}

function acceptedFormat(header: string | undefined): Format {
  // A charset is no part of most of these media types (of JSON's: RFC 8259, 11), and callers name it all the same.
  const accept = header?.replaceAll(/;\s*charset=[^;,]*/gi, '');
  if (accept === undefined || accept === '') return 'json';
  const format = OFFERED.get(new Negotiator({ headers: { accept } }).mediaType([...OFFERED.keys()]) ?? '');
  if (format === undefined) throw notAcceptable();
  return format;
}

const ON: readonly (string | undefined)[] = ['1', 'true'];
const OFF: readonly (string | undefined)[] = ['0', 'false', ''];

function switchAsked(endpoint: Endpoint, sent: RawParameters, name: string): boolean {
  const asked = ownParameter(endpoint, sent, name);
  if (asked === undefined || OFF.includes(asked.text)) return false;
  if (ON.includes(asked.text)) return true;
  throw wrong(endpoint, { param: name, problem: 'has to be 1 or 0' });
}

/** What was sent under a name of the gateway's own; undefined where the endpoint declares it for itself. */
function ownParameter(endpoint: Endpoint, sent: RawParameters, name: string): RawParameter | undefined {
  const given = endpoint.parameters.has(name) ? undefined : sent.get(name);
  if (given && given.times > 1) {
    throw wrong(endpoint, { param: name, problem: `is given ${given.times} times; it may be given once` });
  }
  return given;
}

function wrong(endpoint: Endpoint, problem: Problem): Failure {
  return invalidParameters(endpoint.name, [problem]);
}

function notAcceptable(): Failure {
  const list = FORMATS.map((format) => `${format} (${FORMAT_FACTS[format].mediaType})`);
  return new Failure(
    'NOT_ACCEPTABLE',
    `There is no such representation. There are: ${list.join(', ')}; name one in ?format= or its media type in Accept.`,
  );
}
