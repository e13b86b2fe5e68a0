import { ClickHouseError } from '@clickhouse/client';

import { hasSecretValue, revealedParameters, type BoundQuery } from '../../endpoint/bind.js';
import { Failure } from '../errors.js';
import type { QueryRequest } from '../query/ports.js';
import { isOfDefinition } from './definition-errors.js';
import type { NameOfError } from './error-names.js';
import { shortMessage } from './short-message.js';
import { describeKnownError, isErrorOfServer } from './translate-error.js';

/**
 * Adds a diagnosis to a failure, for an operator: the name of ClickHouse's error and, for an error of the definition, ClickHouse's message.
 * The diagnosis contains no word that occurs only in a value of the request. For a caller's own SQL it has the name only.
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

/** Text of a message. Undefined if it contains a word that occurs only in a value of the request. */
export function textWithoutValues(
  { message }: Pick<Error, 'message'>,
  query: BoundQuery,
): string | undefined {
  // The list of columns is removed, because it contains constants that were computed from values.
  const text = shortMessage(message).replace(/\. There are only columns: [^]*/, '');
  const ofDefinition = wordsOf(query.text);
  const values = [...Object.values(revealedParameters(query)), ...Object.values(query.settings ?? {})];
  const ofValues = wordsOf(values.flat().map(withoutEscapes).join(' '));
  const hasValue = [...wordsOf(text)].some((word) => ofValues.has(word) && !ofDefinition.has(word));
  return hasValue ? undefined : text;
}

/** Value as it is, followed by the value without the escapes of a setting. The letter of an escape would change the next word. */
const withoutEscapes = (value: unknown): string =>
  `${String(value)} ${String(value).replaceAll(/\\./g, ' ')}`;

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/[\p{L}\p{N}_]+/gu));
