import Joi from 'joi';

import { must } from '../schema-problems.js';
import { declareParameter } from './declare-parameter.js';
import { ANY_TEXT, type Parameter, type ParameterOptions } from './parameter.js';

const OWN = {
  empty: must('"value" or "omitted"', Joi.valid('value', 'omitted')),
  suggestions: must('an array of strings', Joi.array().items(Joi.string().allow(''))),
};

/** Any text; the empty text is a value, unless `empty` says that it means an omitted parameter. */
export function text(
  options: ParameterOptions & {
    readonly empty?: 'value' | 'omitted';
    readonly suggestions?: readonly string[];
  },
): Parameter<string> {
  const { empty = 'value', suggestions } = options;
  const schema = empty === 'omitted' ? Joi.string().empty('') : Joi.string().allow('');
  return declareParameter(
    schema,
    options,
    {
      kind: 'string',
      type: 'String',
      empty,
      jsonSchema: { ...ANY_TEXT, ...(suggestions && { examples: suggestions }) },
      ...(suggestions && { suggestions }),
    },
    { options: OWN },
  );
}
