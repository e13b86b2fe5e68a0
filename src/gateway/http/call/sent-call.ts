import type { Request, Response } from 'express';

import { hasLink } from '../../auth/links.js';
import type { Endpoint } from '../../../endpoint/endpoint.js';
import { Failure, type ParamProblem } from '../../errors.js';
import type { CacheDemand } from '../../query/call.js';
import type { RawParameters } from '../../query/raw-parameters.js';
import { cacheDemandOf } from '../result/cache-headers.js';
import type { JsonBodies } from './json-body.js';
import { limitsOfCall } from './json-counts.js';
import { readJsonParameters } from './json-parameters.js';
import { isJsonObject } from './json-text.js';
import { parseQueryString } from './query-string.js';
import { isOwnParameter, undeclaredIn } from './undeclared-parameters.js';
import { TIMES, type Times } from '../../formats/format.js';

/** What a caller sent for a call of an endpoint. */
export interface SentCall {
  /** The gateway's own parameters; may include others. */
  readonly query: RawParameters;
  /** The parameters of the endpoint; for a GET, the whole query string. */
  readonly parameters: RawParameters;
  /** Problems of parameters that have no text. */
  readonly problems: readonly ParamProblem[];
  /** Names that neither the endpoint nor the gateway reads. */
  readonly undeclared: readonly string[];
  /** Rows of a page that the caller requests, of an endpoint with pages; absent: the row cap. */
  readonly pageRows?: number;
  /** Whether the request target determines the whole call. */
  readonly isInTarget: boolean;
  /** The `Accept` header. */
  readonly accept?: string | undefined;
  readonly preferences: Preferences;
  /** What the caller requires of the cache, if it has the right to. */
  readonly demand: CacheDemand;
}

/** Reads what a request sent for a call of an endpoint. @throws Failure */
export type ReadSentCall = (
  endpoint: Endpoint,
  request: Request,
  response: Response,
) => SentCall | Promise<SentCall>;

/** Reads the query string of a GET or HEAD. */
export const readTarget: ReadSentCall = (endpoint, request) => {
  const query = parseQueryString(request.originalUrl, endpoint.parameters);
  const undeclared = undeclaredIn(query.keys(), endpoint);
  return { query, parameters: query, problems: [], undeclared, isInTarget: true, ...demandsOf(request) };
};

/** Reads the JSON body of a POST, and the gateway's own parameters in its query string. */
export const readBody =
  (bodies: JsonBodies): ReadSentCall =>
  async (endpoint, request, response) => {
    const query = parseQueryString(request.originalUrl);
    if (hasLink(query)) throw linkIsNotPosted();
    const body = await bodies.read(request, response, limitsOfCall(endpoint));
    if (!isJsonObject(body)) throw isNoObject();
    await bodies.beforeValidating(body);
    const misplaced = [...query.keys()].filter(
      (name) => !isOwnParameter(name) || endpoint.parameters.has(name),
    );
    const { parameters, problems, undeclared } = readJsonParameters(endpoint, new Map(Object.entries(body)));
    const ofQuery = misplaced.map((param) => ({
      param,
      problem: 'is in the query string, but a POST takes its parameters from the body',
    }));
    const all = [...ofQuery, ...problems];
    return { query, parameters, problems: all, undeclared, isInTarget: false, ...demandsOf(request) };
  };

function demandsOf({ headers }: Request): Pick<SentCall, 'accept' | 'preferences' | 'demand'> {
  const { accept, prefer, 'cache-control': cacheControl } = headers;
  return { accept, preferences: readPreferences(prefer?.toString()), demand: cacheDemandOf(cacheControl) };
}

function isNoObject(): Failure {
  return new Failure(
    'MALFORMED_BODY',
    'The body is JSON, but not an object. Send an object of parameters, such as {"project": "aurora"}.',
  );
}

function linkIsNotPosted(): Failure {
  return new Failure('METHOD_NOT_ALLOWED', 'POST is not allowed with a signed link. Use GET or HEAD.', {
    allow: ['GET', 'HEAD'],
  });
}

/** The preferences in a `Prefer` header (RFC 7240); undefined where absent or invalid. */
export interface Preferences {
  /** Seconds that the caller is willing to wait: `wait`. */
  readonly waitSeconds: number | undefined;
  /** Format of times in the response. */
  readonly timestamps: Times | undefined;
  /** How numbers are written in JSON, as the caller wrote the preference, in lower case. */
  readonly numbers: string | undefined;
  /** Whether undeclared parameters are errors: `handling=strict`. */
  readonly isStrict: boolean;
  /** Whether a later request may get a result that is not ready in time: `respond-async`. */
  readonly isAsync: boolean;
}

/** The text between commas that are not within quotes. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;

/** Whole seconds; longer numbers are ignored. */
const SECONDS = /^\d{1,9}$/;

const NO_PREFERENCES: Preferences = {
  ...{ waitSeconds: undefined, timestamps: undefined, numbers: undefined, isStrict: false, isAsync: false },
};

/** Reads the header in one pass. The first of several preferences with one name counts; parameters are ignored. */
export function readPreferences(header: string | undefined): Preferences {
  if (header === undefined) return NO_PREFERENCES;
  const values = valuesByName(header);
  const seconds = values.get('wait') ?? '';
  const timestamps = values.get('timestamps')?.toLowerCase();
  return {
    waitSeconds: SECONDS.test(seconds) ? Number(seconds) : undefined,
    timestamps: TIMES.find((times) => times === timestamps),
    numbers: values.get('numbers')?.toLowerCase(),
    isStrict: values.get('handling')?.toLowerCase() === 'strict',
    isAsync: values.has('respond-async'),
  };
}

function valuesByName(header: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [preference] of header.matchAll(PREFERENCE)) {
    const [name = '', value = ''] = (preference.split(';', 1)[0] ?? '').split('=', 2);
    const key = name.trim().toLowerCase();
    if (!values.has(key)) values.set(key, value.trim().replace(/^"(.*)"$/, '$1'));
  }
  return values;
}
