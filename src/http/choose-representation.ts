import Negotiator from 'negotiator';

import type { Endpoint } from '../endpoint/endpoint.js';
import { Failure, type Problem } from '../errors.js';
import {
  FORMAT_FACTS,
  FORMATS,
  representationOf,
  type Format,
  type Representation,
  type Times,
} from '../formats/representation.js';
import type { RawParameters } from '../query/raw-parameters.js';
import { problemOfForm } from '../query/validate-parameters.js';

/** How an answer is to be presented. */
export interface Presentation {
  readonly representation: Representation;
  /** Whether it is to be kept as a file. */
  readonly download: boolean;
  /** The preference that decided, as `Preference-Applied` names it. */
  readonly applied: string | undefined;
  /** Whether the headers changed nothing: any request for the same target that says nothing in them gets the same. */
  readonly isPlain: boolean;
}

const DEFAULT_FORMAT: Format = 'json';

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
export interface NamedPresentation {
  readonly format: Format | undefined;
  readonly formulaSafe: boolean;
  readonly download: boolean;
  readonly problems: readonly Problem[];
}

const FORMAT_BY_NAME: ReadonlyMap<string, Format> = new Map(FORMATS.map((format) => [format, format]));

const SWITCH: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
  ['', false],
]);

/** What a request's headers say of how the answer is wanted. */
export interface HeaderPreferences {
  readonly accept: string | undefined;
  readonly timestamps: Times | undefined;
}

/**
 * Reads `format`, `csv_safe` and `download`. A parameter that the endpoint itself declares under such a name stays the
 * endpoint's.
 */
export function readPresentation(endpoint: Endpoint, sent: RawParameters): NamedPresentation {
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

/**
 * Chooses the representation of an answer: `format` of the query string, else `Accept`, and `Prefer` for the times.
 *
 * @param named without problems.
 * @param times how the gateway writes them where nobody says otherwise.
 * @throws Failure NOT_ACCEPTABLE for `Accept`
 */
export function choosePresentation(
  { format, formulaSafe, download }: NamedPresentation,
  { accept, timestamps }: HeaderPreferences,
  times: Times,
): Presentation {
  const chosen = format ?? acceptedFormat(accept);
  const representation = representationOf(chosen, { times: timestamps ?? times, formulaSafe });
  const isApplied = timestamps !== undefined && !FORMAT_FACTS[chosen].hasTypedTimes;
  return {
    representation,
    download,
    applied: isApplied ? `timestamps=${timestamps}` : undefined,
    isPlain: representation === representationOf(format ?? DEFAULT_FORMAT, { times, formulaSafe }),
  };
}

function acceptedFormat(header: string | undefined): Format {
  // A charset is no part of most of these media types (of JSON's: RFC 8259, 11), and callers name it all the same.
  const accept = header?.replaceAll(/;\s*charset=[^;,]*/gi, '');
  if (accept === undefined || accept === '') return DEFAULT_FORMAT;
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
