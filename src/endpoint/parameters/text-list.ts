import Joi from 'joi';

import { declareParameter } from './declare-parameter.js';
import type { Parameter, ParameterOptions } from './parameter.js';

/** Items separated by commas, without trimming; order and repetition make no difference. */
export function textList(options: ParameterOptions): Parameter<readonly string[]> {
  // Joi.string() would reject the empty text before it becomes a list.
  const schema = Joi.any().custom((value: string) => [...new Set(value.split(','))].sort());
  return declareParameter(schema, options, {
    kind: 'string-list',
    type: 'Array(String)',
    empty: 'value',
    format: 'comma-separated',
    isList: true,
    jsonSchema: { type: 'string' },
  });
}
