import { ERRORS, type ErrorCode } from '../../errors.js';
import type { Reference, ResponseObject } from './document.js';
import { headerRefs, HEADERS_OF, type ResponseHeader } from './headers.js';
import type { JsonSchema } from '../../endpoint/json-schema.js';
import { refTo } from './schema.js';

const PROBLEM = 'Problem';

/** No caller reads these: it has hung up, or it is the operator's view that answers. */
const UNSEEN: ReadonlySet<ErrorCode> = new Set(['CALLER_GONE', 'PURGE_INCOMPLETE']);

const codes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => !UNSEEN.has(code));

/** The codes of the failures that have a status. */
function codesOf(status: number): readonly ErrorCode[] {
  return codes.filter((code) => ERRORS[code].status === status);
}

/**
 * Statuses that a GET of this document can be answered with, by what the request is about. 405 is none of them: it
 * answers other methods.
 */
const FAILURES = {
  /** Of any request at all. */
  anywhere: [400, 408, 431, 500],
  /** Of what needs a key. */
  withKey: [401, 403, 429],
  /** Of a token whose issuer is away, and of a gateway that can't. */
  unavailable: [503],
  notFound: [404],
  call: [406, 422, 502, 504],
} as const;

/** References to the responses of some statuses. */
export function problemResponses(
  ...groups: readonly (keyof typeof FAILURES)[]
): Readonly<Record<string, Reference>> {
  const statuses = groups.flatMap((group) => FAILURES[group]);
  return Object.fromEntries(statuses.map((status) => [String(status), refTo('responses', nameOf(status))]));
}

/** Every error response, by its name. */
export function problemComponents(): {
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
} {
  const statuses = [...new Set(Object.values(FAILURES).flat())].sort((a, b) => a - b);
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
    headers: headerRefs(...headersOf(status)),
    content: {
      'application/problem+json': { schema: refTo('schemas', nameOf(status)), example: exampleOf(status) },
    },
  };
}

/** An error with the first code of a status. */
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

function headersOf(status: number): readonly ResponseHeader[] {
  switch (status) {
    case 401:
      return [...HEADERS_OF.any, 'WWW-Authenticate'];
    case 429:
      return [...HEADERS_OF.withKey, 'Retry-After'];
    case 503:
      return [...HEADERS_OF.any, 'Retry-After'];
    default:
      return HEADERS_OF.any;
  }
}

/** What all errors have in common. */
function problemSchema(): JsonSchema {
  return {
    type: 'object',
    description: 'An error (RFC 9457).',
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId', 'error'],
    properties: {
      type: { type: 'string', format: 'uri', examples: ['urn:querygate:problem:invalid-parameters'] },
      title: { type: 'string', description: 'What such a failure is called; the same for each code.' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'What is wrong with this request, for a person.' },
      code: { type: 'string', enum: codes, description: 'Stable, for programs.' },
      requestId: { type: 'string', description: 'As in X-Request-Id.' },
      error: { type: 'string', description: 'A copy of `detail`, for clients written for Logflare.' },
    },
  };
}

const PROBLEMS_OF_PARAMETERS: JsonSchema = {
  type: 'array',
  description: 'What is wrong with each parameter.',
  items: {
    type: 'object',
    required: ['param', 'problem'],
    properties: { param: { type: 'string' }, problem: { type: 'string' } },
  },
};

/** A schema a status, so that in the types made of them the code narrows the status and what else is there. */
function schemaOfStatus(status: number): JsonSchema {
  const hasProblems = status === 400;
  return {
    allOf: [
      refTo('schemas', PROBLEM),
      {
        type: 'object',
        required: ['status', 'code', ...(hasProblems ? ['problems'] : [])],
        properties: {
          status: { type: 'integer', const: status },
          code: { type: 'string', enum: codesOf(status) },
          ...(hasProblems && { problems: PROBLEMS_OF_PARAMETERS }),
        },
      },
    ],
  };
}
