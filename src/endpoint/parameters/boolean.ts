import { declareParameter } from './declare-parameter.js';
import type { Kind } from './kind.js';
import type { Parameter, ParameterOptions } from './parameter.js';

const VALUES: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['1', 'true'],
  ['false', 'false'],
  ['0', 'false'],
]);

export const BOOLEAN: Kind = {
  name: 'boolean',
  options: {},
  empty: ['omitted', 'problem'],
  type: () => 'Bool',
  types: 'Bool',
  accepts: ({ name }) => name === 'Bool',
  rules: () => ({
    parse: (text) => {
      const value = VALUES.get(text);
      return value === undefined ? { problem: 'must be true or false' } : { value };
    },
    choices: ['true', 'false'],
    jsonSchema: { type: 'boolean' },
  }),
};

/**
 * `true` or `false`, also written `1` or `0`.
 *
 * @example
 * ```ts
 * boolean({ description: 'Only requests that failed.', default: false })
 * ```
 */
export function boolean(options: ParameterOptions): Parameter<'true' | 'false'> {
  return declareParameter<ParameterOptions, 'true' | 'false'>(BOOLEAN, options);
}
