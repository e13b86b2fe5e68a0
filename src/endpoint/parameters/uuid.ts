import { isUuid } from '../uuid.js';
import { declareParameter } from './declare-parameter.js';
import type { Kind } from './kind.js';
import type { Parameter, ParameterOptions } from './parameter.js';

export const UUID: Kind = {
  name: 'uuid',
  options: {},
  empty: ['omitted', 'problem'],
  type: () => 'UUID',
  types: 'UUID',
  accepts: ({ name }) => name === 'UUID',
  rules: () => ({
    parse: (text) =>
      isUuid(text)
        ? { value: text.toLowerCase() }
        : { problem: 'must be a UUID, such as 61f0c404-5cb3-11e7-907b-a6006ad3dba0' },
    format: 'uuid',
    jsonSchema: { type: 'string', format: 'uuid' },
  }),
};

/**
 * A UUID in its textual form, in any letter case.
 *
 * @example
 * ```ts
 * uuid({ description: 'Only this order.', required: true })
 * ```
 */
export function uuid(options: ParameterOptions): Parameter<string> {
  return declareParameter(UUID, options);
}
