import Negotiator from 'negotiator';

import { Failure, type Problem } from '../../errors.js';
import type { Times } from '../../formats/format.js';
import { FORMAT_NAMES, FORMATS, type FormatName } from '../../formats/formats.js';
import { representationOf, type Representation } from '../../formats/representation.js';
import type { RawParameters } from '../../query/raw-parameters.js';
import { problemOfEncoding } from '../../query/validate-parameters.js';

/** How the rows of a response are written. */
export interface Presentation {
  readonly representation: Representation;
  /** Whether browsers save the response as a file. */
  readonly download: boolean;
  /** Whether a result that lacks rows is an error. */
  readonly complete: boolean;
  /** Whether all rows are sent as they arrive, beyond the row cap. */
  readonly isExport: boolean;
  /** The value of `Preference-Applied`, where a preference decided. */
  readonly applied: string | undefined;
  /** Whether the headers made no difference: a request for the same target without them gets the same response. */
  readonly isPlain: boolean;
}

const DEFAULT_FORMAT: FormatName = 'json';

/** Common values of `Accept` that mean the same as none. */
export const TAKES_DEFAULT: ReadonlySet<string | undefined> = new Set([
  undefined,
  '',
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
]);

/** Formats by media type, in the order in which the gateway prefers them. */
const BY_MEDIA_TYPE = new Map(
  FORMAT_NAMES.map((name) => {
    const { mediaType, mediaTypeParameters } = FORMATS[name];
    return [mediaTypeParameters === undefined ? mediaType : `${mediaType};${mediaTypeParameters}`, name];
  }),
);

/** Maximum number of media ranges in an `Accept` header. Comparing one with all formats takes 3 µs; browsers send at most ten. */
const MAX_MEDIA_RANGES = 32;

/** What the query string says about the representation, and its problems. */
export interface QueryStringPresentation {
  readonly format: FormatName | undefined;
  readonly formulaSafe: boolean;
  readonly download: boolean;
  readonly complete: boolean;
  readonly isExport: boolean;
  readonly problems: readonly Problem[];
}

const BY_NAME: ReadonlyMap<string, FormatName> = new Map(FORMAT_NAMES.map((name) => [name, name]));

/** The texts of `download`, `csv_safe`, `complete` and `export`, in lower case. */
export const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
  ['', false],
]);

/** Reads `format`, `csv_safe`, `download`, `complete` and `export`. */
export function readPresentation(sent: RawParameters): QueryStringPresentation {
  const problems: Problem[] = [];
  /** The value of one of the gateway's own parameters; undefined where it is omitted or invalid. */
  const read = <T>(param: string, values: ReadonlyMap<string, T>, expected: string): T | undefined => {
    const parameter = sent.get(param);
    if (!parameter) return undefined;
    const value = values.get(parameter.text?.toLowerCase() ?? '');
    const problem = problemOfEncoding(parameter) ?? (value === undefined ? expected : undefined);
    if (problem === undefined) return value;
    problems.push({ param, problem });
    return undefined;
  };
  const format = read('format', BY_NAME, `must be one of ${FORMAT_NAMES.join(', ')}`);
  const isTrue = (param: string): boolean => read(param, BOOLEANS, 'must be 1, 0, true or false') ?? false;
  return {
    format,
    formulaSafe: isTrue('csv_safe'),
    download: isTrue('download'),
    complete: isTrue('complete'),
    isExport: isTrue('export'),
    problems,
  };
}

/**
 * Chooses the representation: `format` of the query string, else `Accept`; `Prefer` decides how times are written.
 *
 * @param presentation of the query string, without problems.
 * @param times how the gateway writes times where the request does not choose.
 * @throws Failure NOT_ACCEPTABLE where `Accept` matches no format.
 */
export function choosePresentation(
  { format, formulaSafe, download, complete, isExport }: QueryStringPresentation,
  { accept, timestamps }: { readonly accept?: string | undefined; readonly timestamps?: Times | undefined },
  times: Times,
): Presentation {
  const chosen = format ?? acceptedFormat(accept);
  const representation = representationOf(chosen, { times: timestamps ?? times, formulaSafe });
  const isApplied = timestamps !== undefined && FORMATS[chosen].values !== 'typed';
  return {
    representation,
    download,
    complete,
    isExport,
    applied: isApplied ? `timestamps=${timestamps}` : undefined,
    isPlain: representation === representationOf(format ?? DEFAULT_FORMAT, { times, formulaSafe }),
  };
}

function acceptedFormat(header: string | undefined): FormatName {
  if (header === undefined || TAKES_DEFAULT.has(header)) return DEFAULT_FORMAT;
  // Most of these media types have no charset (JSON: RFC 8259, section 11), but callers name one all the same.
  const accept = header.replaceAll(/;\s*charset=[^;,]*/gi, '');
  if (accept.split(',').length > MAX_MEDIA_RANGES) {
    throw new Failure(
      'HEADERS_TOO_LARGE',
      `The header accept lists more than ${MAX_MEDIA_RANGES} media types.`,
    );
  }
  const mediaType = new Negotiator({ headers: { accept } }).mediaType([...BY_MEDIA_TYPE.keys()]);
  const format = BY_MEDIA_TYPE.get(mediaType ?? '');
  if (format === undefined) throw notAcceptable();
  return format;
}

function notAcceptable(): Failure {
  const list = FORMAT_NAMES.map((name) => `${name} (${FORMATS[name].mediaType})`);
  return new Failure(
    'NOT_ACCEPTABLE',
    `Accept matches no output format. Name one of these in ?format=, or its media type in Accept: ${list.join(', ')}.`,
  );
}
