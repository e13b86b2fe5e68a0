import Joi from 'joi';

import { parseIsoTimestamp } from '../iso-timestamp.js';
import { must, validIf } from '../schema-problems.js';
import { declareParameter } from './declare-parameter.js';
import type { Kind } from './kind.js';
import type { Parameter, ParameterOptions } from './parameter.js';

/** What a date is declared with. */
export interface DateOptions extends ParameterOptions {
  /** `YYYY-MM-DD`, inclusive. */
  readonly minimum?: string;
  /** `YYYY-MM-DD`, inclusive. */
  readonly maximum?: string;
}

/** The first and the last date of each type. */
const RANGES: ReadonlyMap<string, readonly [first: string, last: string]> = new Map([
  ['Date', ['1970-01-01', '2149-06-06']],
  ['Date32', ['1900-01-01', '2299-12-31']],
]);

/** The form of a date and the years of Date32, for readers that do not know ranges of dates. */
const FORM = '^(19|2[0-2])[0-9]{2}-[0-9]{2}-[0-9]{2}$';

const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && parseIsoTimestamp(text) !== undefined;

const BOUND = must('a date, such as 2026-05-17', Joi.string().custom(validIf(isDate)));

export const DATE: Kind<DateOptions> = {
  name: 'date',
  options: { minimum: BOUND, maximum: BOUND },
  empty: ['omitted', 'problem'],
  type: () => 'Date32',
  types: 'Date or Date32',
  accepts: ({ name }) => RANGES.has(name),
  rules: ({ minimum = '', maximum = '9' }, types) => {
    const ranges = types.flatMap(({ name }) => [RANGES.get(name) ?? []].flat());
    // Dates of four-digit years sort as texts do.
    const [first = '', last = ''] = [
      [minimum, ...ranges.filter((_, index) => index % 2 === 0)].sort().at(-1),
      [maximum, ...ranges.filter((_, index) => index % 2 === 1)].sort().at(0),
    ];
    return {
      isContradictory: first > last,
      parse: (text) =>
        isDate(text) && text >= first && text <= last
          ? { value: text }
          : { problem: `must be a date between ${first} and ${last}, such as 2026-05-17` },
      format: 'date',
      syntax: `From ${first} to ${last}.`,
      jsonSchema: { type: 'string', format: 'date', examples: ['2026-05-17'] },
      limits: { pattern: FORM },
    };
  },
};

/**
 * A date, `YYYY-MM-DD`.
 *
 * @example
 * ```ts
 * date({ description: 'Only this day.', required: true })
 * ```
 */
export function date(options: DateOptions): Parameter<string> {
  return declareParameter(DATE, options);
}
