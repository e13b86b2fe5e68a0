import Joi from 'joi';

import { declareParameter } from './declare-parameter.js';
import type { Parameter, ParameterOptions } from './parameter.js';

/** `true` or `false`, also written `1` or `0`. An empty text means an omitted parameter. */
export function boolean(options: ParameterOptions): Parameter<'true' | 'false'> {
  const schema = Joi.string()
    .empty('')
    .custom((text: string, helpers) => {
      if (text === 'true' || text === '1') return 'true';
      return text === 'false' || text === '0' ? 'false' : helpers.error('boolean.form');
    });
  return declareParameter(
    schema,
    options,
    {
      kind: 'boolean',
      type: 'Bool',
      empty: 'omitted',
      choices: ['true', 'false'],
      jsonSchema: { type: 'boolean' },
    },
    { messages: { 'boolean.form': 'must be true or false' } },
  );
}
