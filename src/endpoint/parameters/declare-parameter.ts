import type { DefinitionProblem } from '../definition-error.js';
import { parseTypeName } from '../type-name.js';
import { emptiesOf, problemsOfOptions } from './check-options.js';
import type { Kind, Rules } from './kind.js';
import { isRelativeTime } from './relative-time.js';
import type {
  EmptyText,
  ItemKind,
  ListOptions,
  Parameter,
  ParameterOptions,
  ParameterValue,
  ReadParameter,
  ValidationContext,
} from './parameter.js';
import { problem } from '../problems.js';

/** Properties of a declaration in addition to its kind and options. */
interface Form {
  /** The types that the query binds the value as, or each item of a list, which the kind accepts; the kind's own where none. */
  readonly types?: readonly string[];
  readonly isList?: boolean;
}

/** Completes the declaration of a parameter. Mistakes in the options are its `problems`. */
export function declareParameter<Options extends ParameterOptions, Value extends ParameterValue = string>(
  kind: Kind<Options>,
  options: Options & ListOptions,
  { types = [], isList = false }: Form = {},
): Parameter<Value> {
  const empties = emptiesOf(kind, isList);
  const problems = problemsOfOptions(kind, options, isList);
  if (problems.length > 0) return invalidParameter(kind, options, problems);
  const bound = boundTypes(kind.type(options), types);
  const [type = ''] = bound;
  const { parse, isContradictory, ...facts } = kind.rules(options, bound.map(parseTypeName));
  if (isContradictory) return invalidParameter(kind, options, [noValueIsValid(bound)]);
  const { description, required = false, default: fallback, empty = empties[0] } = options;
  const ofEmpty = facts.choices ? `must be one of ${facts.choices.join(', ')}` : 'must not be empty';
  const convert = isList ? listReader(parse, options.set) : singleReader(parse);
  const parameter: Parameter<Value> = {
    ...facts,
    ...factsOfOptions(options),
    ...(isList
      ? { kind: `${kind.name}-list`, type: `Array(${type})`, isList, format: 'comma-separated' }
      : { kind: kind.name, type }),
    ...{ description, required, empty },
    read: readerOf<Value>({ convert, empty, ofEmpty, required, fallback: sentForm(fallback) }),
    problems: [],
  };
  return { ...parameter, problems: problemsOfDefault(parameter) };
}

/** The types that the query binds the value as; an empty one is the kind's own. */
function boundTypes(own: string, types: readonly string[]): readonly string[] {
  return types.length === 0 ? [own] : [...new Set(types.map((type) => (type === '' ? own : type)))];
}

function factsOfOptions({
  default: fallback,
  deprecated,
  secret,
  choicesFrom,
  set,
  verbatim,
}: ParameterOptions & ListOptions): Pick<
  Parameter,
  'default' | 'deprecated' | 'secret' | 'choicesFrom' | 'isSet' | 'isVerbatim'
> {
  return {
    ...(fallback !== undefined && { default: [fallback].flat().join(',') }),
    ...(deprecated && { deprecated }),
    ...(secret && { secret }),
    ...(choicesFrom && { choicesFrom }),
    ...(set && { isSet: set }),
    ...(verbatim && { isVerbatim: verbatim }),
  };
}

function noValueIsValid(types: readonly string[]): DefinitionProblem {
  return { path: [], ...problem('RANGE_EMPTY', `the values of ${types.join(' and ')}`) };
}

function problemsOfDefault({ kind, read, default: fallback }: Parameter): readonly DefinitionProblem[] {
  if (fallback === undefined) return [];
  // The bounds of a relative default are fixed times, so that the check depends on the current time.
  const found = read(undefined, { now: new Date() });
  if (!('problem' in found)) return [];
  const reason =
    kind.startsWith('timestamp') && isRelativeTime(fallback)
      ? `is a relative time: add relativeStep, the duration to which its now is rounded, such as relativeStep: 1m`
      : found.problem;
  return [{ path: ['default'], ...problem('DEFAULT_INVALID', reason) }];
}

type Sent = string | readonly string[];

/** Turns what the caller sent into the value. */
type Convert = (sent: Sent, context: ValidationContext) => ReadParameter<ParameterValue>;

const singleReader =
  (parse: Rules['parse']): Convert =>
  (sent, context) =>
    typeof sent === 'string' ? parse(sent, context) : { problem: 'must be one value, not a list' };

/** Items of a text are separated by commas, without trimming. Those of a set are sorted, each once. */
const listReader =
  (parse: Rules['parse'], isSet = false): Convert =>
  (sent, context) => {
    const values: string[] = [];
    for (const [index, item] of (typeof sent === 'string' ? sent.split(',') : sent).entries()) {
      const parsed = parse(item, context);
      if ('problem' in parsed) return { problem: `item ${index + 1} ${parsed.problem}` };
      values.push(parsed.value);
    }
    return { value: isSet ? [...new Set(values)].sort() : values };
  };

interface ReaderOptions {
  readonly convert: Convert;
  readonly empty: EmptyText;
  /** The problem of an empty text, where that is one. */
  readonly ofEmpty: string;
  readonly required: boolean;
  readonly fallback: Sent | undefined;
}

function readerOf<Value extends ParameterValue>(options: ReaderOptions): Parameter<Value>['read'] {
  const { convert, empty, ofEmpty, required, fallback } = options;
  const readSent: Convert = (sent, context) =>
    sent === '' && empty === 'problem' ? { problem: ofEmpty } : convert(sent, context);
  const read: Parameter['read'] = (sent, context) => {
    const isOmitted = sent === undefined || (sent === '' && empty === 'omitted');
    if (!isOmitted) return readSent(sent, context);
    if (fallback !== undefined) return readSent(fallback, context);
    return required ? { problem: 'is required' } : {};
  };
  return read as Parameter<Value>['read'];
}

function sentForm(fallback: ParameterOptions['default']): string | readonly string[] | undefined {
  if (fallback === undefined) return undefined;
  return Array.isArray(fallback) ? fallback.map(String) : String(fallback);
}

/** A parameter in place of an invalid one, so that the other mistakes of its file are found too. */
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
    read: () => ({}),
    problems,
  };
}
