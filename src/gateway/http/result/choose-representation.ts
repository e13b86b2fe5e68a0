import Negotiator from 'negotiator';

import { NUMBERS, type Numbers } from '../../../endpoint/definition.js';
import { NUMBERS_PARAMETER } from '../../../endpoint/reserved.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import { Failure, type ParamProblem } from '../../errors.js';
import type { Times } from '../../formats/format.js';
import { EVERY_FORMAT_NAME, FORMAT_NAMES, FORMATS, type FormatName } from '../../formats/formats.js';
import { representationOf, type Representation } from '../../formats/representation.js';
import type { RawParameters } from '../../query/raw-parameters.js';
import type { Preferences } from '../call/sent-call.js';
import { problemOfEncoding } from '../../query/validate-parameters.js';

/** How the rows of a response are written. */
export interface Presentation {
  readonly representation: Representation;
  /** Whether browsers save the response as a file. */
  readonly download: boolean;
  /** Whether a result with missing rows is an error. */
  readonly complete: boolean;
  /** Whether all rows are sent as they arrive, even beyond the row cap. */
  readonly isExport: boolean;
  /** The preferences that affected the response, for `Preference-Applied`. */
  readonly applied: readonly string[];
  /** Whether the headers made no difference, so that a request for the same target without them gets the same response. */
  readonly isPlain: boolean;
}

const DEFAULT_FORMAT: FormatName = 'json';

/** Common values of `Accept` that accept the default format. */
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

/** The choices of the query string, and the preference for numbers, with their problems. */
export interface QueryStringPresentation {
  readonly format: FormatName | undefined;
  readonly numbers: Numbers | undefined;
  /** The preference for numbers in `Prefer`. */
  readonly preferred: Numbers | undefined;
  readonly formulaSafe: boolean;
  readonly download: boolean;
  readonly complete: boolean;
  readonly isExport: boolean;
  readonly problems: readonly ParamProblem[];
}

const BY_NAME: ReadonlyMap<string, FormatName> = new Map(EVERY_FORMAT_NAME.map((name) => [name, name]));

const NUMBERS_BY_NAME: ReadonlyMap<string, Numbers> = new Map(NUMBERS.map((name) => [name, name]));
const MUST_BE_NUMBERS = `must be ${NUMBERS.join(' or ')}`;

/** The values of `download`, `csv_safe`, `complete` and `export`, in lower case. */
export const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
  ['', false],
]);

/**
 * Reads `format`, `csv_safe`, `download`, `complete` and `export`. Reads `numbers` in `Prefer`, and in the query string unless the
 * endpoint has a parameter of this name.
 */
export function readPresentation(
  sent: RawParameters,
  { parameters }: Pick<Endpoint, 'parameters'>,
  preferences: Pick<Preferences, 'numbers'>,
): QueryStringPresentation {
  const problems: ParamProblem[] = [];
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
  const format = read('format', BY_NAME, `must be one of ${EVERY_FORMAT_NAME.join(', ')}`);
  const preferred = NUMBERS_BY_NAME.get(preferences.numbers ?? '');
  if (preferences.numbers !== undefined && !preferred)
    problems.push({ param: 'Prefer: numbers', problem: MUST_BE_NUMBERS });
  const isTrue = (param: string): boolean => read(param, BOOLEANS, 'must be 1, 0, true or false') ?? false;
  return {
    format,
    numbers: parameters.has(NUMBERS_PARAMETER)
      ? undefined
      : read(NUMBERS_PARAMETER, NUMBERS_BY_NAME, MUST_BE_NUMBERS),
    preferred,
    formulaSafe: isTrue('csv_safe'),
    download: isTrue('download'),
    complete: isTrue('complete'),
    isExport: isTrue('export'),
    problems,
  };
}

/**
 * Chooses the representation: `format` in the query string, else `Accept`. `Prefer` determines how times are written, and how
 * numbers are written where the query string does not.
 *
 * @param named choices of the query string, without problems.
 * @param defaults how times and numbers are written where the request does not choose.
 * @throws Failure NOT_ACCEPTABLE where `Accept` matches no format.
 */
export function choosePresentation(
  named: QueryStringPresentation,
  { accept, timestamps }: { readonly accept?: string | undefined; readonly timestamps?: Times | undefined },
  defaults: { readonly times: Times; readonly numbers?: Numbers | undefined },
): Presentation {
  const { format, formulaSafe, download, complete, isExport } = named;
  const chosen = format ?? acceptedFormat(accept);
  const plain = { times: defaults.times, numbers: named.numbers ?? defaults.numbers ?? 'plain', formulaSafe };
  const numbers = named.numbers ?? named.preferred ?? plain.numbers;
  const representation = representationOf(chosen, {
    times: timestamps ?? defaults.times,
    ...{ numbers, formulaSafe },
  });
  return {
    representation,
    download,
    complete,
    isExport,
    applied: appliedTo(chosen, timestamps, named),
    isPlain: representation === representationOf(format ?? DEFAULT_FORMAT, plain),
  };
}

/** The preferences that affect a format. */
function appliedTo(
  format: FormatName,
  timestamps: Times | undefined,
  { numbers, preferred }: QueryStringPresentation,
): readonly string[] {
  const { values } = FORMATS[format];
  return [
    ...(timestamps !== undefined && values !== 'typed' ? [`timestamps=${timestamps}`] : []),
    ...(preferred && !numbers && values === 'json' ? [`numbers=${preferred}`] : []),
  ];
}

function acceptedFormat(header: string | undefined): FormatName {
  if (header === undefined || TAKES_DEFAULT.has(header)) return DEFAULT_FORMAT;
  // Most of these media types have no charset (JSON: RFC 8259, section 11), but callers send one.
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
