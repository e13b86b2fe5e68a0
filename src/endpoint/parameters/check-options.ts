import Joi from 'joi';

import type { DefinitionProblem } from '../definition-error.js';
import { must, problemsBySchema, validIf } from '../schema-problems.js';
import type { Kind } from './kind.js';
import type { EmptyText, ParameterOptions } from './parameter.js';
import { problem } from '../problems.js';

/** A value of a parameter in a file. */
export const SCALAR = Joi.alternatives(
  Joi.string().allow(''),
  Joi.number().unsafe(),
  Joi.boolean(),
  Joi.any().custom(validIf((value) => typeof value === 'bigint')),
);

const FLAG = must('true or false', Joi.boolean());
const NAME = must('a name', Joi.string().required());

const COMMON = {
  description: must('a sentence', Joi.string().required()),
  required: FLAG,
  default: must('a value', SCALAR),
  deprecated: FLAG,
  secret: FLAG,
  choicesFrom: must(
    'an object with the name of an endpoint and of one of its columns',
    Joi.object({ endpoint: NAME, column: NAME }),
  ),
} satisfies Omit<Record<keyof ParameterOptions, Joi.Schema>, 'empty'>;

const DEFAULT_LIST = must(
  'a value or an array of values',
  Joi.alternatives(SCALAR, Joi.array().items(SCALAR)),
);

type OwnOptions = Pick<Kind, 'name' | 'options' | 'empty'>;

/** Schemas of the options by kind: Joi takes milliseconds to build one, and a project has hundreds of parameters. */
const SCHEMAS = new Map<string, Joi.ObjectSchema>();

function optionsSchema(kind: OwnOptions, isList: boolean): Joi.ObjectSchema {
  const name = `${kind.name} ${isList}`;
  const known = SCHEMAS.get(name);
  if (known) return known;
  const empties = emptiesOf(kind, isList);
  const empty = must(empties.map((meaning) => `"${meaning}"`).join(' or '), Joi.valid(...empties));
  const own = kind.options as Joi.SchemaMap;
  const schema = Joi.object({
    ...COMMON,
    empty,
    ...own,
    ...(isList && { default: DEFAULT_LIST, set: FLAG }),
    ...(isList && kind.name === 'string' && { verbatim: FLAG }),
  }).required();
  SCHEMAS.set(name, schema);
  return schema;
}

/** The mistakes in the options that a parameter is declared with. */
export function problemsOfOptions(
  kind: OwnOptions,
  options: ParameterOptions,
  isList: boolean,
): readonly DefinitionProblem[] {
  const problems = problemsBySchema(optionsSchema(kind, isList), options, 'the options');
  // The options are not an object at all.
  if (problems.some(({ path }) => path.length === 0)) return problems;
  if (options.default === undefined) return problems;
  return [
    ...problems,
    ...(options.required === true ? [mustBeAbsent('required', 'an omitted parameter has the default')] : []),
    ...(options.secret === true ? [mustBeAbsent('default', 'a file cannot keep a secret value')] : []),
  ];
}

const mustBeAbsent = (option: string, reason: string): DefinitionProblem => ({
  path: [option],
  ...problem('OPTION_CONFLICT', option, reason),
});

/** A list of texts has a meaning for the empty text: one empty item. */
export function emptiesOf(
  { name, empty }: Pick<Kind, 'name' | 'empty'>,
  isList: boolean,
): readonly [EmptyText, ...EmptyText[]] {
  return isList && name !== 'string' ? ['omitted', 'problem'] : empty;
}
