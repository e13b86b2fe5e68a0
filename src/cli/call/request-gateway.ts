import { FORMATS, type FormatName } from '../../formats/formats.js';
import { CommandError, EXIT, usageError } from '../exit-codes.js';

/** A question to a running gateway. */
export interface Question {
  /** Of the gateway, without a slash at its end. */
  readonly url: string;
  readonly endpoint: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly format: FormatName | undefined;
  readonly apiKey: string | undefined;
}

/** The URL that asks it. */
export function urlOf({ url, endpoint, parameters }: Question): string {
  const query = new URLSearchParams([...parameters]).toString();
  const path = `${url}/api/endpoints/query/${encodeURIComponent(endpoint)}`;
  return query === '' ? path : `${path}?${query}`;
}

/**
 * Sends the question; the answer is there with its headers, its body still to be read.
 *
 * @throws CommandError where nobody answers.
 */
export async function requestGateway(question: Question, signal: AbortSignal): Promise<Response> {
  const headers = headersOf(question);
  try {
    // A redirect would take the key along to whoever is named there.
    return await fetch(urlOf(question), { headers, signal, redirect: 'manual' });
  } catch (error) {
    throw unreachable(`No gateway can be reached at ${question.url}`, error);
  }
}

/** The error of a connection that was not to be had, or broke. */
export function unreachable(what: string, cause: unknown): CommandError {
  const reason = reasonOf(cause);
  return new CommandError(`${what}${reason === '' ? '' : ` (${reason})`}.`, EXIT.unreachable, { cause });
}

function headersOf({ format, apiKey }: Question): Readonly<Record<string, string>> {
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw usageError('The key has characters that no key has, such as blanks or line ends.');
  }
  return {
    'User-Agent': 'querygate-cli',
    // Not ?format=, which can be a parameter of the endpoint.
    Accept: FORMATS[format ?? 'json'].mediaType,
    ...(apiKey !== undefined && { 'X-API-KEY': apiKey }),
  };
}

/** fetch says no more than that it failed; its cause says why, and may hold one error for each address that was tried. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return 'code' in error && typeof error.code === 'string' && error.message === ''
    ? error.code
    : error.message;
}
