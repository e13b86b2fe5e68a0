import type { Values } from '../endpoint/bind.js';
import type { Endpoint } from '../endpoint/endpoint.js';
import { MAX_VALUE_BYTES, type Parameter, type ParameterValue } from '../endpoint/parameters/parameter.js';
import { Failure, type Problem } from '../errors.js';
import type { RawParameter, RawParameters } from './raw-parameters.js';

/** The declared parameters of a request: values of the valid ones, problems of the others. */
export interface ReadParameters {
  readonly values: Values;
  readonly problems: readonly Problem[];
}

/**
 * Validates the declared parameters of a request; other names are ignored.
 *
 * @throws Failure INVALID_PARAMETERS listing every problem.
 */
export function validateParameters(endpoint: Endpoint, raw: RawParameters): Values {
  const { values, problems } = readParameters(endpoint, raw);
  if (problems.length > 0) throw invalidParameters(problems);
  return values;
}

/** Like {@link validateParameters}, but returns the problems, for a caller that adds its own. */
export function readParameters(endpoint: Endpoint, raw: RawParameters): ReadParameters {
  const values = new Map<string, ParameterValue | null>();
  const problems: Problem[] = [];
  for (const [param, parameter] of endpoint.parameters) {
    const result = validate(parameter, raw.get(param));
    if ('problem' in result) problems.push({ param, problem: result.problem });
    else values.set(param, result.value);
  }
  return { values, problems };
}

/** The failure that lists every problem of a request's parameters. */
export function invalidParameters(problems: readonly Problem[]): Failure {
  const listed = problems.map(({ param, problem }) => `${param} ${problem}`).join('; ');
  return new Failure('INVALID_PARAMETERS', `Invalid parameters: ${listed}.`, { problems });
}

type Validated = { readonly value: ParameterValue | null } | { readonly problem: string };

function validate(parameter: Parameter, raw: RawParameter | undefined): Validated {
  const problem = raw && problemOf(raw);
  if (problem !== undefined) return { problem };
  const { value = null, error } = parameter.schema.validate(raw?.text);
  return error ? { problem: error.message } : { value };
}

/** The problem of a parameter that is repeated or cannot be decoded. */
export function problemOfEncoding({ text, times }: RawParameter): string | undefined {
  if (times > 1) return `is given ${times} times; it may be given once`;
  return text === undefined ? 'is not valid percent-encoded UTF-8' : undefined;
}

function problemOf(raw: RawParameter): string | undefined {
  const problem = problemOfEncoding(raw);
  if (problem !== undefined) return problem;
  const { text = '' } = raw;
  if (text.includes('\0')) return 'must not contain a null byte';
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_VALUE_BYTES
    ? `is ${bytes} bytes long; at most ${MAX_VALUE_BYTES} are allowed`
    : undefined;
}
