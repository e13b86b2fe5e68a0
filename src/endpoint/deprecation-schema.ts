import Joi from 'joi';

import { asRecord } from './as-record.js';
import type { DefinitionProblem } from './definition-error.js';
import { millisecondsOf } from './deprecation.js';
import { problem } from './problems.js';
import { must, validIf, withFound } from './schema-problems.js';

const TIME = Joi.string().custom(validIf((text: string) => millisecondsOf(text) !== undefined));

/** The schema of `DeprecationRules`. */
export const DEPRECATION_RULES = must(
  'an object with since (a date such as 2026-11-30), and perhaps sunset (a date) and successor (a name)',
  Joi.object({
    since: must('a date such as 2026-11-30', TIME.required()),
    sunset: must('a date such as 2027-05-31', TIME),
    successor: must('the name of an endpoint', Joi.string()),
  }),
);

/** The problems of a deprecation that its schema does not find. RFC 9745 (section 4): the sunset must not precede the deprecation. */
export function problemsOfDeprecation(definition: unknown): readonly DefinitionProblem[] {
  const { name, deprecated } = asRecord(definition);
  const { since, sunset, successor } = asRecord(deprecated);
  const begins = millisecondsOf(since);
  const ends = millisecondsOf(sunset);
  const invalid = (key: string, value: unknown, expected: string): DefinitionProblem => {
    const path = ['deprecated', key];
    return { path, ...problem('VALUE_INVALID', path.join('.'), withFound(value, expected)) };
  };
  return [
    ...(begins !== undefined && ends !== undefined && ends < begins
      ? [invalid('sunset', sunset, 'must not be before deprecated.since')]
      : []),
    ...(successor !== undefined && successor === name
      ? [invalid('successor', successor, 'must be another endpoint')]
      : []),
  ];
}
