import type { Endpoint } from '../../../../endpoint/endpoint.js';
import type { JsonSchema } from '../../../../endpoint/json-schema.js';
import { ERRORS, type ErrorCode } from '../../../errors.js';
import { refTo, type RefObject, type ResponseObject } from './document.js';
import { headerRefs } from './headers.js';

const PROBLEM = 'Problem';

/** Codes that no caller of this API receives: the client disconnected, or only the admin API sends the code. */
const UNDOCUMENTED: ReadonlySet<ErrorCode> = new Set([
  'CALLER_GONE',
  'ENDPOINTS_INVALID',
  'PURGE_INCOMPLETE',
]);

const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !UNDOCUMENTED.has(code));

/** The error codes with a status. */
function codesOf(status: number): readonly ErrorCode[] {
  return codes.filter((code) => ERRORS[code].status === status);
}

const ANYWHERE = [400, 408, 431, 500];
/** Statuses with a 503: the issuer of tokens is unreachable, or the gateway is overloaded or stopping. */
const READY = [...ANYWHERE, 503];
const LIST = [...READY, 401, 403, 429];
const ONE = [...LIST, 404];
const CALL = [...ONE, 406, 412, 422, 502, 504];
/** The error statuses of each operation. 405 is absent, because only other methods get it. */
const STATUSES = {
  ...{ live: ANYWHERE, ready: READY, list: LIST, describe: ONE },
  ...{ get: [...CALL, 416], post: [...CALL, 413, 415] },
};

/** References to the error responses of an operation. */
export function problemResponses(
  operation: keyof typeof STATUSES,
  endpoint?: Endpoint,
): Readonly<Record<string, RefObject>> {
  const statuses = [...STATUSES[operation], ...(endpoint ? statusesOf(endpoint) : [])];
  return Object.fromEntries(statuses.map((status) => [String(status), refTo('responses', nameOf(status))]));
}

/** The statuses of certain endpoints only: those with exports, and those that return 410 after their sunset. */
function statusesOf({ settings, deprecated }: Endpoint): readonly number[] {
  const goes = deprecated?.sunset !== undefined && settings.goneAfterSunset === true;
  return [...(settings.exports ? [505] : []), ...(goes ? [410] : [])];
}

/** All error responses of the document's operations, by name. */
export function problemComponents(endpoints: readonly Endpoint[]): {
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
} {
  const all = [...Object.values(STATUSES).flat(), ...endpoints.flatMap(statusesOf)];
  const statuses = [...new Set(all)].sort((a, b) => a - b);
  return {
    responses: Object.fromEntries(statuses.map((status) => [nameOf(status), responseOf(status)])),
    schemas: {
      [PROBLEM]: problemSchema(),
      ...Object.fromEntries(statuses.map((status) => [nameOf(status), schemaOfStatus(status)])),
    },
  };
}

const nameOf = (status: number): string => `${PROBLEM}${status}`;

function responseOf(status: number): ResponseObject {
  return {
    description: codesOf(status)
      .map((code) => `\`${code}\`: ${ERRORS[code].title}.`)
      .join(' '),
    headers: headerRefs('any', status),
    content: {
      'application/problem+json': { schema: refTo('schemas', nameOf(status)), example: exampleOf(status) },
    },
  };
}

/** An example error with the first code of a status. */
function exampleOf(status: number): object {
  const [code = 'INTERNAL'] = codesOf(status);
  const { title } = ERRORS[code];
  return {
    type: `urn:querygate:problem:${code.toLowerCase().replaceAll('_', '-')}`,
    title,
    status,
    detail: `${title}.`,
    code,
    requestId: 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6',
    ...(status === 400 && { problems: [{ param: 'project', problem: 'is required' }] }),
    error: `${title}.`,
  };
}

/** The fields of every error. */
function problemSchema(): JsonSchema {
  return {
    type: 'object',
    description: 'An error (RFC 9457).',
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId', 'error'],
    properties: {
      type: { type: 'string', format: 'uri', examples: ['urn:querygate:problem:invalid-parameters'] },
      title: { type: 'string', description: 'Short name of the error; the same for each code.' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'What is wrong with this request, and what to do; for people.' },
      code: { type: 'string', title: 'ErrorCode', enum: codes, description: 'Stable, for programs.' },
      requestId: { type: 'string', description: 'As in X-Request-Id.' },
      error: { type: 'string', description: 'A copy of `detail`, for clients written for Logflare.' },
    },
  };
}

const PROBLEMS_OF_PARAMETERS: JsonSchema = {
  type: 'array',
  description: 'The problem of each invalid parameter.',
  items: {
    type: 'object',
    required: ['param', 'problem'],
    properties: { param: { type: 'string' }, problem: { type: 'string' } },
  },
};

/**
 * One schema per status, so that in generated types the code determines the status and the other fields. The status is an
 * enum, because openapi-python-client cannot merge a `const` with the integer of every error.
 */
function schemaOfStatus(status: number): JsonSchema {
  const hasProblems = status === 400;
  return {
    allOf: [
      refTo('schemas', PROBLEM),
      {
        type: 'object',
        required: ['status', 'code', ...(hasProblems ? ['problems'] : [])],
        properties: {
          status: { type: 'integer', title: `Status${status}`, enum: [status] },
          code: { type: 'string', title: `ErrorCode${status}`, enum: codesOf(status) },
          ...(hasProblems && { problems: PROBLEMS_OF_PARAMETERS }),
        },
      },
    ],
  };
}
