import Joi from 'joi';

import { ANY_TEXT, declareParameter, type Parameter, type ParameterOptions } from './parameter.js';

/** Any text; the empty text is a value, unless `empty` says that it means an omitted parameter. */
export function text(
  options: ParameterOptions & {
    readonly empty?: 'value' | 'omitted';
    readonly suggestions?: readonly string[];
  },
): Parameter<string> {
  const { empty = 'value', suggestions } = options;
  const schema = empty === 'omitted' ? Joi.string().empty('') : Joi.string().allow('');
  return declareParameter(schema, options, {
    kind: 'string',
    type: 'String',
    empty,
    jsonSchema: { ...ANY_TEXT, ...(suggestions && { examples: suggestions }) },
    ...(suggestions && { suggestions }),
  });
}
