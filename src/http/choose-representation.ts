import Negotiator from 'negotiator';

import type { Endpoint } from '../endpoint/endpoint.js';
import { Failure, type Problem } from '../errors.js';
import type { RawParameters } from '../execution/raw-parameters.js';
import {
  FORMAT_FACTS,
  FORMATS,
  representationOf,
  type Format,
  type Representation,
  type Times,
} from '../execution/representation.js';
import { invalidParameters, problemOfForm } from '../execution/validate-parameters.js';
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

/** In `Accept`. Each is compared with each format, which takes 3 µs; browsers send ten at most. */
const MAX_MEDIA_RANGES = 32;

/** What the query string says of how the answer is wanted, and what is wrong with what it says. */
interface Named {
  readonly format: Format | undefined;
  readonly formulaSafe: boolean;
  readonly download: boolean;
  readonly problems: readonly Problem[];
}

/** What is wrong with the parameters that name a representation. */
export function presentationProblems(endpoint: Endpoint, sent: RawParameters): readonly Problem[] {
  return readNamed(endpoint, sent).problems;
}

const FORMAT_BY_NAME: ReadonlyMap<string, Format> = new Map(FORMATS.map((format) => [format, format]));

const SWITCH: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
  ['', false],
]);

/**
 * Chooses the representation of an answer: `format` of the query string, else `Accept`, and `Prefer` for the times. A
 * parameter that the endpoint itself declares under such a name stays the endpoint's.
 *
 * @param times how the gateway writes them where nobody says otherwise.
 * @throws Failure NOT_ACCEPTABLE for `Accept`, or INVALID_PARAMETERS listing {@link presentationProblems}
 */
export function choosePresentation(
  endpoint: Endpoint,
  sent: RawParameters,
  wishes: Wishes,
  times: Times,
): Presentation {
  const named = readNamed(endpoint, sent);
  if (named.problems.length > 0) throw invalidParameters(endpoint.name, named.problems);
  const { formulaSafe, download, format = acceptedFormat(wishes.accept) } = named;
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

function readNamed(endpoint: Endpoint, sent: RawParameters): Named {
  const problems: Problem[] = [];
  /** The text under a name of the gateway's own; undefined where it is wrong, or the endpoint declares it for itself. */
  const read = <T>(param: string, values: ReadonlyMap<string, T>, expected: string): T | undefined => {
    const given = endpoint.parameters.has(param) ? undefined : sent.get(param);
    if (!given) return undefined;
    const value = values.get(given.text?.toLowerCase() ?? '');
    const problem = problemOfForm(given) ?? (value === undefined ? expected : undefined);
    if (problem === undefined) return value;
    problems.push({ param, problem });
    return undefined;
  };
  const format = read('format', FORMAT_BY_NAME, `must be one of [${FORMATS.join(', ')}]`);
  const formulaSafe = read('csv_safe', SWITCH, 'has to be 1 or 0') ?? false;
  const download = read('download', SWITCH, 'has to be 1 or 0') ?? false;
  return { format, formulaSafe, download, problems };
}

function acceptedFormat(header: string | undefined): Format {
  // A charset is no part of most of these media types (of JSON's: RFC 8259, 11), and callers name it all the same.
  const accept = header?.replaceAll(/;\s*charset=[^;,]*/gi, '');
  if (accept === undefined || accept === '') return 'json';
  if (accept.split(',').length > MAX_MEDIA_RANGES) {
    throw new Failure(
      'HEADERS_TOO_LARGE',
      `The header accept lists more than ${MAX_MEDIA_RANGES} media types.`,
    );
  }
  const format = OFFERED.get(new Negotiator({ headers: { accept } }).mediaType([...OFFERED.keys()]) ?? '');
  if (format === undefined) throw notAcceptable();
  return format;
}

function notAcceptable(): Failure {
  const list = FORMATS.map((format) => `${format} (${FORMAT_FACTS[format].mediaType})`);
  return new Failure(
    'NOT_ACCEPTABLE',
    `There is no such representation. There are: ${list.join(', ')}; name one in ?format= or its media type in Accept.`,
  );
}
