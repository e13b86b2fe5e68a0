import Joi from 'joi';

import type { DefinitionProblem } from '../definition-error.js';
import { parseTypeName } from '../type-name.js';
import { emptiesOf, problemsOfOptions, problemsOfTypes } from './check-options.js';
import type { Kind, Parsed, Rules } from './kind.js';
import { isRelativeTime } from './relative-time.js';
import type {
  EmptyText,
  ItemKind,
  Parameter,
  ParameterOptions,
  ParameterSchema,
  ParameterValue,
  ValidationContext,
} from './parameter.js';

/** How a parameter is declared, beside its kind and options. */
interface Form {
  /** The types that the query binds the value as, or each item of a list; the kind's own where none. */
  readonly types?: readonly string[];
  readonly isList?: boolean;
}

/** Completes the declaration of a parameter. Mistakes in the options are its `problems`. */
export function declareParameter<Options extends ParameterOptions, Value extends ParameterValue = string>(
  kind: Kind<Options>,
  options: Options,
  { types = [], isList = false }: Form = {},
): Parameter<Value> {
  const empties = emptiesOf(kind, isList);
  const problems = [...problemsOfOptions(kind, options, isList), ...problemsOfTypes(kind, types, isList)];
  if (problems.length > 0) return invalidParameter(kind, options, problems);
  const own = kind.type(options);
  const bound = types.length > 0 ? [...new Set(types.map((type) => (type === '' ? own : type)))] : [own];
  const [type = ''] = bound;
  const rules = kind.rules(options, bound.map(parseTypeName));
  if (rules.isContradictory) return invalidParameter(kind, options, [noValueIsValid(bound)]);
  const { empty = empties[0], required = false, default: fallback } = options;
  const read = isList ? listReader(rules) : singleReader(rules);
  const parameter: Parameter<Value> = {
    ...factsOf(rules),
    ...factsOfOptions(options),
    ...(isList
      ? { kind: `${kind.name}-list`, type: `Array(${type})`, isList, format: 'comma-separated' }
      : { kind: kind.name, type }),
    description: options.description,
    required,
    empty,
    schema: schemaOf<Value>(read, {
      empty,
      ofEmpty: problemOfEmpty(rules),
      required,
      fallback: sentForm(fallback),
    }),
    problems: [],
  };
  return { ...parameter, problems: problemsOfDefault(parameter) };
}

/** The rules that describe a value. */
function factsOf({
  jsonSchema,
  limits,
  choices,
  suggestions,
  format,
  syntax,
  relativeStepMs,
}: Rules): Omit<Rules, 'parse' | 'isContradictory'> {
  return {
    jsonSchema,
    ...(limits && { limits }),
    ...(choices && { choices }),
    ...(suggestions && { suggestions }),
    ...(format !== undefined && { format }),
    ...(syntax !== undefined && { syntax }),
    ...(relativeStepMs !== undefined && { relativeStepMs }),
  };
}

type OptionFacts = Pick<Parameter, 'default' | 'deprecated' | 'secret' | 'choicesFrom'>;

function factsOfOptions({
  default: fallback,
  deprecated,
  secret,
  choicesFrom,
}: ParameterOptions): OptionFacts {
  return {
    ...(fallback !== undefined && { default: textOf(fallback) }),
    ...(deprecated && { deprecated }),
    ...(secret && { secret }),
    ...(choicesFrom && { choicesFrom }),
  };
}

function noValueIsValid(types: readonly string[]): DefinitionProblem {
  const range = `the values of ${types.join(' and ')}`;
  return { path: [], problem: `no value is valid: minimum and maximum must leave some of ${range}` };
}

function problemsOfDefault({ kind, schema, default: fallback }: Parameter): readonly DefinitionProblem[] {
  if (fallback === undefined) return [];
  // The bounds of a relative default are fixed times, so that only the present can tell.
  const { error } = schema.validate(undefined, { context: { now: new Date() } });
  if (!error) return [];
  const problem =
    kind.startsWith('timestamp') && isRelativeTime(fallback)
      ? `is a relative time: add relativeStep, the duration to which its now is rounded, such as relativeStep: 1m`
      : error.message;
  return [{ path: ['default'], problem: `default ${problem}` }];
}

/** Turns what the caller sent into the value. */
type Read = (
  sent: string | readonly string[],
  context: ValidationContext,
) => { readonly value: ParameterValue } | { readonly problem: string };

const singleReader =
  ({ parse }: Rules): Read =>
  (sent, context) =>
    typeof sent === 'string' ? parse(sent, context) : { problem: 'must be one value, not a list' };

/** Order and repetition of the items make no difference. Items of a text are separated by commas, without trimming. */
const listReader =
  ({ parse }: Rules): Read =>
  (sent, context) => {
    const values = new Set<string>();
    for (const [index, item] of (typeof sent === 'string' ? sent.split(',') : sent).entries()) {
      const parsed: Parsed = parse(item, context);
      if ('problem' in parsed) return { problem: `item ${index + 1} ${parsed.problem}` };
      values.add(parsed.value);
    }
    return { value: [...values].sort() };
  };

interface SchemaOptions {
  readonly empty: EmptyText;
  /** The problem of an empty text, where that is one. */
  readonly ofEmpty: string;
  readonly required: boolean;
  readonly fallback: string | readonly string[] | undefined;
}

function schemaOf<Value extends ParameterValue>(
  read: Read,
  { empty, ofEmpty, required, fallback }: SchemaOptions,
): ParameterSchema<Value> {
  const parse = (sent: string | readonly string[], { prefs }: Joi.CustomHelpers): ReturnType<Read> =>
    sent === '' && empty === 'problem'
      ? { problem: ofEmpty }
      : read(sent, prefs.context as ValidationContext);
  const convert = (sent: string | readonly string[], helpers: Joi.CustomHelpers): unknown => {
    const parsed = parse(sent, helpers);
    return 'problem' in parsed ? helpers.error(INVALID, { problem: parsed.problem }) : parsed.value;
  };
  // Joi takes an error that the function returns for the value.
  const valueOfDefault = (sent: string | readonly string[], helpers: Joi.CustomHelpers): unknown => {
    const parsed = parse(sent, helpers);
    if ('problem' in parsed) throw new Error(parsed.problem);
    return parsed.value;
  };
  let schema = Joi.any()
    .custom(convert)
    .messages({
      [INVALID]: '{#problem}',
      'any.default': '{#error.message}',
      'any.required': 'is required',
    });
  if (empty === 'omitted') schema = schema.empty('');
  if (required) schema = schema.required();
  if (fallback !== undefined) {
    schema = schema.default((_parent: unknown, helpers: Joi.CustomHelpers) =>
      valueOfDefault(fallback, helpers),
    );
  }
  return schema as ParameterSchema<Value>;
}

const INVALID = 'parameter.invalid';

function problemOfEmpty({ choices }: Rules): string {
  return choices ? `must be one of ${choices.join(', ')}` : 'must not be empty';
}

function sentForm(fallback: ParameterOptions['default']): string | readonly string[] | undefined {
  if (fallback === undefined) return undefined;
  return Array.isArray(fallback) ? fallback.map(String) : String(fallback);
}

const textOf = (fallback: NonNullable<ParameterOptions['default']>): string =>
  Array.isArray(fallback) ? fallback.join(',') : String(fallback);

/** Keeps a file with a mistake readable as far as it goes, so that all of its mistakes are reported. */
function invalidParameter<Value extends ParameterValue>(
  { name }: { readonly name: ItemKind },
  options: Partial<ParameterOptions> | null | undefined,
  problems: readonly DefinitionProblem[],
): Parameter<Value> {
  return {
    kind: name,
    type: 'String',
    description: options?.description ?? '',
    required: false,
    empty: 'omitted',
    jsonSchema: {},
    schema: Joi.any(),
    problems,
  };
}
