import { ClickHouseError } from '@clickhouse/client';

import { hasSecretValue, revealedParameters, type BoundQuery } from '../../endpoint/bind.js';
import { Failure } from '../errors.js';
import type { QueryRequest } from '../query/ports.js';
import { isOfDefinition } from './definition-errors.js';
import type { NameOfError } from './error-names.js';
import { shortMessage } from './short-message.js';
import { describeKnownError, isErrorOfServer } from './translate-error.js';

/**
 * The failure with a diagnosis that an operator can act on: the name of ClickHouse's error and, where that is an error of the
 * definition, what ClickHouse says about it. The diagnosis has no word that only a value of the request has, and of a caller's
 * own SQL nothing but the name.
 */
export async function explained(
  failure: Failure,
  { query, columns }: Pick<QueryRequest, 'query' | 'columns'>,
  nameOf: NameOfError,
): Promise<Failure> {
  const { code, message, details } = failure;
  const { cause } = details;
  if (!(cause instanceof ClickHouseError)) return failure;
  const diagnosis = describeKnownError(cause, isErrorOfServer(cause) ? undefined : await nameOf(cause.code));
  const isQuotable = columns !== 'unknown' && !hasSecretValue(query) && isOfDefinition(cause.code);
  const text = isQuotable ? textWithoutValues(cause, query) : undefined;
  return new Failure(code, message, {
    ...details,
    diagnosis: text === undefined ? diagnosis : `${diagnosis}: ${text}`,
  });
}

/** What a message says, where it has no word that only a value of the request has. */
export function textWithoutValues(
  { message }: Pick<Error, 'message'>,
  query: BoundQuery,
): string | undefined {
  // A list of columns has constants among them, which were computed from values.
  const text = shortMessage(message).replace(/\. There are only columns: [^]*/, '');
  const ofDefinition = wordsOf(query.text);
  const values = [...Object.values(revealedParameters(query)), ...Object.values(query.settings ?? {})];
  const ofValues = wordsOf(values.flat().map(withoutEscapes).join(' '));
  const hasValue = [...wordsOf(text)].some((word) => ofValues.has(word) && !ofDefinition.has(word));
  return hasValue ? undefined : text;
}

/** As it is, and without the escapes of a setting, whose letters would be part of a word. */
const withoutEscapes = (value: unknown): string =>
  `${String(value)} ${String(value).replaceAll(/\\./g, ' ')}`;

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/[\p{L}\p{N}_]+/gu));
