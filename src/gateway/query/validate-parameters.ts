import type { Value, Values } from '../../endpoint/values.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import {
  MAX_VALUE_BYTES,
  type Parameter,
  type ParameterValue,
  type ReadParameter,
  type ValidationContext,
} from '../../endpoint/parameters/parameter.js';
import { isRelativeTime, stepAt } from '../../endpoint/parameters/relative-time.js';
import { sealFrom, type Seal } from '../../endpoint/parameters/secret-value.js';
import { Failure, type ParamProblem } from '../errors.js';
import { isInBrackets, listExample, type RawParameter, type RawParameters } from './raw-parameters.js';

/** Facts on which the values of a request depend, besides what the caller sent. */
export interface ReadingContext extends ValidationContext {
  /** Encloses the values of secret parameters. The default is for processes that share no cached results. */
  readonly seal?: Seal | undefined;
}

/** Values of valid parameters. */
export interface ResolvedParameters {
  readonly values: Values;
  /** Time from which the same parameters have other values, in milliseconds since 1970. Absent where no time is relative. */
  readonly changesAt?: number;
}

/** Declared parameters of a request: the values of valid ones, and the problems of the others. */
export interface ReadParameters extends ResolvedParameters {
  readonly problems: readonly ParamProblem[];
}

const OWN_SEAL = sealFrom(undefined);

/**
 * Validates the declared parameters of a request. Other names are ignored.
 *
 * @throws Failure INVALID_PARAMETERS listing every problem.
 */
export function validateParameters(
  endpoint: Endpoint,
  raw: RawParameters,
  context?: Partial<ReadingContext>,
): Values {
  return resolveParameters(endpoint, raw, context).values;
}

/** Like {@link validateParameters}, but also returns until when the values stay the same. */
export function resolveParameters(
  endpoint: Endpoint,
  raw: RawParameters,
  { now = new Date(), seal }: Partial<ReadingContext> = {},
): ResolvedParameters {
  const { problems, ...resolved } = readParameters(endpoint, raw, { now, seal });
  if (problems.length > 0) throw invalidParameters(problems);
  return resolved;
}

/** Like {@link resolveParameters}, but returns the problems, for a caller that adds its own. */
export function readParameters(
  endpoint: Endpoint,
  raw: RawParameters,
  { now, seal = OWN_SEAL }: ReadingContext,
): ReadParameters {
  const values = new Map<string, Value>();
  const problems: ParamProblem[] = [];
  let changesAt = Infinity;
  const context = { now, zone: () => zoneOf(endpoint, raw, now) };
  for (const [param, parameter] of endpoint.parameters) {
    const sent = raw.get(param);
    const read = readSent(param, parameter, sent, context);
    if ('problem' in read) {
      problems.push({ param, problem: read.problem });
      continue;
    }
    const { value = null } = read;
    values.set(param, parameter.secret && value !== null ? seal(value) : value);
    changesAt = Math.min(changesAt, endOfStep(parameter, sent, context));
  }
  return { values, problems, ...(changesAt < Infinity && { changesAt }) };
}

function readSent(
  param: string,
  parameter: Parameter,
  sent: RawParameter | undefined,
  context: ValidationContext,
): ReadParameter<ParameterValue> {
  const problem = sent && (problemOf(sent) ?? problemOfList(param, parameter, sent));
  return problem === undefined ? parameter.read(sent?.items ?? sent?.text, context) : { problem };
}

/** Value of an endpoint's only parameter of kind timezone. Undefined where it is missing or invalid, or where there are several. */
function zoneOf({ parameters }: Endpoint, raw: RawParameters, now: Date): string | undefined {
  const [zone, another] = [...parameters].filter(([, { kind }]) => kind === 'timezone');
  if (!zone || another) return undefined;
  const [name, parameter] = zone;
  const read = readSent(name, parameter, raw.get(name), { now });
  return 'value' in read && typeof read.value === 'string' ? read.value : undefined;
}

/** Rejects an array in one text: its items would contain brackets and quotes, and match nothing. */
function problemOfList(
  param: string,
  { isList, isVerbatim }: Parameter,
  { text, items, isInBrackets: isOneInBrackets = false }: RawParameter,
): string | undefined {
  if (!isList || isVerbatim || items || !(isOneInBrackets || isInBrackets(text ?? ''))) return undefined;
  return `must not be in brackets: write ${listExample(param)}; in JSON it is an array`;
}

/** Time when the "now" of a relative time changes. Infinity where the time is not relative. */
function endOfStep(
  { relativeStepMs, default: fallback = '' }: Parameter,
  sent: RawParameter | undefined,
  { now, zone }: ValidationContext,
): number {
  if (relativeStepMs === undefined) return Infinity;
  const text = sent?.text === undefined || sent.text === '' ? fallback : sent.text;
  if (!(sent?.items ?? text.split(',')).some(isRelativeTime)) return Infinity;
  return stepAt(now.getTime(), relativeStepMs, zone?.()).end;
}

/** Failure that lists every problem of a request's parameters. */
export function invalidParameters(problems: readonly ParamProblem[], cause?: unknown): Failure {
  const listed = problems.map(({ param, problem }) => `${param} ${problem}`).join('; ');
  const details = { problems, ...(cause !== undefined && { cause }) };
  return new Failure('INVALID_PARAMETERS', `Invalid parameters: ${listed}.`, details);
}

/** Failure for a problem of a caller's own SQL. */
export const sqlProblem = (problem: string, cause?: unknown): Failure =>
  invalidParameters([{ param: 'sql', problem }], cause);

/** Problem of a parameter that is repeated or cannot be decoded. Undefined where there is none. */
export function problemOfEncoding({ text, times, items }: RawParameter): string | undefined {
  if (times > 1) return `is given ${times} times; it may be given once`;
  return text === undefined && !items ? 'is not valid percent-encoded UTF-8' : undefined;
}

function problemOf(raw: RawParameter): string | undefined {
  const problem = problemOfEncoding(raw);
  if (problem !== undefined) return problem;
  const { items = [raw.text ?? ''], maxBytes = MAX_VALUE_BYTES } = raw;
  if (items.length === 0) return 'must not be an empty array; omit it, or send null';
  if (items.some((text) => text.includes('\0'))) return 'must not contain a null byte';
  const bytes = items.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes > maxBytes ? `is ${bytes} bytes long; at most ${maxBytes} are allowed` : undefined;
}
