import Joi from 'joi';

import { formatClickHouseTimestamp, parseIsoTimestamp, type SubMicrosecond } from '../iso-timestamp.js';
import { must } from '../schema-problems.js';
import { declareParameter } from './declare-parameter.js';
import { ANY_TEXT, type Parameter, type ParameterOptions } from './parameter.js';

const INVALID =
  'must be an ISO 8601 timestamp between 1900 and 2299, such as 2026-05-17, 2026-05-17 10:05:03 or ' +
  '2026-05-17T10:05:03.123456+02:00 (in a URL a + is written %2B)';

const OWN = {
  subMicrosecond: must('"floor" or "ceil"', Joi.valid('floor', 'ceil')),
  empty: must('"problem" or "omitted"', Joi.valid('problem', 'omitted')),
};

/**
 * An ISO 8601 timestamp, bound with microseconds.
 *
 * @param options.subMicrosecond how a finer fraction is rounded: `ceil` for a bound compared with `>=`, `floor` (the
 * default) for `>` and `<=`.
 */
export function timestamp(
  options: ParameterOptions & {
    readonly subMicrosecond?: SubMicrosecond;
    readonly empty?: 'problem' | 'omitted';
  },
): Parameter<string> {
  const { subMicrosecond, empty = 'problem' } = options;
  // Joi accepts what is allowed() without further checks, so the empty text must not be allowed().
  const base = empty === 'omitted' ? Joi.string().empty('') : Joi.string();
  const schema = base.custom((value: string, helpers) => {
    const micros = parseIsoTimestamp(value, subMicrosecond);
    return micros === undefined ? helpers.error('timestamp.iso') : formatClickHouseTimestamp(micros);
  });
  return declareParameter(
    schema,
    options,
    {
      kind: 'timestamp',
      type: "DateTime64(6, 'UTC')",
      empty,
      format: 'date-time',
      jsonSchema: {
        ...ANY_TEXT,
        format: 'date-time',
        examples: ['2026-05-17T10:05:03.123456Z', '2026-05-17T12:05:03+02:00'],
      },
    },
    { messages: { 'timestamp.iso': INVALID }, options: OWN },
  );
}
