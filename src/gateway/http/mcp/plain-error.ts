/** Codes of JSON-RPC 2.0, section 5.1, and of MCP. */
export const JSON_RPC = {
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** Of the HTTP transport. */
  transport: -32_000,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const;

/** An error of JSON-RPC, as the SDK writes it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: ErrorData;
}

/** What the SDK says for programs. */
interface ErrorData {
  /** What each request of a revision must say of its client: the members that are missing, or the invalid one. */
  readonly envelope?: {
    readonly missing?: readonly string[];
    readonly key?: string;
    readonly problem?: string;
  };
  /** Revisions of the protocol. */
  readonly supported?: readonly string[];
}

/** The message that an error is about, and the headers of its HTTP request. */
export interface Rejected {
  readonly body: RejectedBody;
  readonly headers: Headers;
  /** Of the HTTP response. */
  readonly status: number;
}

interface RejectedBody {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

const METHODS = 'tools/list, tools/call, resources/list, resources/templates/list or resources/read';
const VERSION = 'io.modelcontextprotocol/protocolVersion';

/**
 * An error of the SDK with one sentence that says what was wrong and what is expected. The SDK's text can be a dump of its
 * validator, and repeats values of the request.
 */
export function plainError(error: RpcError, rejected: Rejected): RpcError {
  const { code, data } = error;
  const issues = issuesIn(error);
  if (issues) return { code: JSON_RPC.invalidParams, message: `Invalid request: ${expectedBy(issues)}.` };
  return { code, message: `${sentenceOf(error, rejected)}.`, ...(data?.supported && { data }) };
}

function sentenceOf({ code, message, data }: RpcError, rejected: Rejected): string {
  switch (code) {
    case JSON_RPC.invalidRequest:
      return `Invalid message: ${problemOfMessage(rejected.body)}`;
    case JSON_RPC.methodNotFound:
      return `The gateway has no such method: send ${METHODS}`;
    case JSON_RPC.invalidParams:
      return `Invalid request: ${problemOfEnvelope(data?.envelope)}`;
    case JSON_RPC.headerMismatch:
      return problemOfHeaders(rejected);
    case JSON_RPC.unsupportedVersion:
      return `The protocol version must be ${data?.supported?.join(' or ') ?? 'one that the gateway supports'}`;
    case JSON_RPC.transport:
      return problemOfTransport(message, rejected);
    default:
      return 'The gateway failed to process this message: send it again, or report the request id';
  }
}

/** The issues in an error whose text ends with a dump of the validator: of its other texts, some repeat the request. */
function issuesIn({ code, message }: RpcError): readonly Issue[] | undefined {
  const isOfValidator = code === JSON_RPC.invalidParams || code === JSON_RPC.internalError;
  const dump = isOfValidator ? /\[\n[^]*\]$/.exec(message)?.[0] : undefined;
  return dump === undefined ? undefined : (JSON.parse(dump) as readonly Issue[]);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (value: unknown): boolean => typeof value === 'string' || Number.isInteger(value);

function problemOfMessage({ jsonrpc, id, method, params = {} }: RejectedBody): string {
  if (jsonrpc !== '2.0') return 'jsonrpc must be "2.0"';
  if (typeof method !== 'string') return 'method must be a string, such as tools/list';
  if (id !== undefined && !isId(id)) return 'id must be a string or an integer, and a notification has none';
  if (!isObject(params)) return 'params must be an object';
  const { _meta: meta = {} } = params as { readonly _meta?: unknown };
  if (!isObject(meta)) return 'params._meta must be an object';
  const { progressToken = '' } = meta as { readonly progressToken?: unknown };
  if (!isId(progressToken)) return 'params._meta.progressToken must be a string or an integer';
  return 'it may have no members but jsonrpc, id, method and params';
}

function problemOfEnvelope({ missing = [], key, problem }: ErrorData['envelope'] = {}): string {
  if (key !== undefined) {
    const [, expected = 'valid value'] = /expected (\w+)/.exec(problem ?? '') ?? [];
    return expectedBy([{ path: ['params', '_meta', key], expected }]);
  }
  if (missing.includes('_meta')) return 'params must have _meta, as each request of this revision has';
  return missing.length === 0 ? 'params are not valid' : `params._meta must have ${missing.join(' and ')}`;
}

function problemOfHeaders({ body: { method, params }, headers }: Rejected): string {
  const { _meta: meta } = (params ?? {}) as { readonly _meta?: Readonly<Record<string, unknown>> };
  const [header, member] =
    headers.get('mcp-protocol-version') !== meta?.[VERSION]
      ? ['MCP-Protocol-Version', `${VERSION} in params._meta`]
      : headers.get('mcp-method') !== method
        ? ['Mcp-Method', 'method']
        : ['Mcp-Name', 'params.name or params.uri'];
  return `The header ${header} must be there, and equal ${member} of the body`;
}

function problemOfTransport(message: string, { body, status }: Rejected): string {
  if (status === 406) return 'The header Accept must list application/json and text/event-stream';
  if (body.method === undefined)
    return 'The gateway sends no requests, and so accepts no responses: send a request';
  const [, versions = 'one that the gateway supports'] = /supported versions: ([\w, -]+)/.exec(message) ?? [];
  return `The header MCP-Protocol-Version must be one of ${versions}`;
}

/** What a validator expected, and where. */
interface Issue {
  readonly path: readonly (string | number)[];
  /** Name of a type; absent where no single one is expected. */
  readonly expected?: string;
}

/** Values that a sentence lists. */
const MAX_ISSUES = 3;
/** A name of the protocol. Others are of the request, and may be of any length. */
const NAME = /^[\w./-]{1,50}$/;

const TYPES: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'an integer'],
  ['boolean', 'true or false'],
  ['array', 'an array'],
  ['object', 'an object'],
  ['record', 'an object'],
]);

/** What the values must be: `params.name must be a string`. */
function expectedBy(issues: readonly Issue[]): string {
  const listed = issues.slice(0, MAX_ISSUES).map(({ path, expected = '' }) => {
    const type = TYPES.get(expected);
    return `${placeOf(path)} ${type === undefined ? 'is not valid' : `must be ${type}`}`;
  });
  return listed.join(', ');
}

function placeOf(path: Issue['path']): string {
  const names = path.map(String);
  const end = names.findIndex((name) => !NAME.test(name));
  return names.slice(0, end === -1 ? names.length : end).join('.') || 'the message';
}
