import type { Gateway } from '../gateway-options.js';
import { problemText, readProblem } from '../call/problem-text.js';
import { reasonOf } from '../unreachable.js';

/** JSON-RPC's code for errors that the implementation defines. */
const SERVER_ERROR = -32_000;

/** Characters to show of an error of the SDK. */
const MAX_REASON = 300;

/** What a program can read of a failed HTTP request, beside the message. */
interface HttpErrorData {
  readonly status: number;
  /** The code of the problem document, such as LIMIT_EXCEEDED. */
  readonly code?: unknown;
  readonly requestId?: unknown;
  readonly retryAfterSeconds?: number;
}

/** A JSON-RPC error. The messages of the bridge say what happened, what was expected, and what to do. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: number;
  /** Absent in the response where it is undefined. */
  readonly data: unknown;

  constructor(
    message: string,
    {
      code = SERVER_ERROR,
      data,
      ...options
    }: ErrorOptions & { readonly code?: number; readonly data?: unknown } = {},
  ) {
    super(message, options);
    this.code = code;
    this.data = data;
  }
}

/** The error of a request that got no response. */
export function unreachableError({ url }: Gateway, cause: unknown): GatewayError {
  const text = `The gateway at ${url} is unreachable: ${reasonOf(cause)}. Start it, or set --url to its address, then repeat the request.`;
  return new GatewayError(text, { cause });
}

/** The error of a response whose body broke off. */
export function incompleteError({ url }: Gateway, cause: unknown): GatewayError {
  const text = `The response of the gateway at ${url} is incomplete: ${reasonOf(cause)}. Repeat the request.`;
  return new GatewayError(text, { cause });
}

/** The error of a response that is not one of MCP. */
export function invalidResponseError({ url }: Gateway, cause: unknown): GatewayError {
  // The SDK's errors can list every alternative of a schema.
  const reason = oneLine(reasonOf(cause)).slice(0, MAX_REASON);
  const text = `The response of the gateway at ${url} is not a valid MCP message: ${reason}. Check --url and the versions of gateway and bridge.`;
  return new GatewayError(text, { cause });
}

/** The error of a response that is not a JSON-RPC message with status 200. Reads its body. */
export async function responseError(gateway: Gateway, response: Response): Promise<GatewayError> {
  const { status, headers } = response;
  const ofProtocol = await jsonRpcError(response.clone());
  if (ofProtocol) return ofProtocol;
  const problem = await readProblem(response);
  const { document } = problem;
  if (!document) {
    const text = oneLine(problemText(response, problem));
    return new GatewayError(
      `The server at ${gateway.url} did not respond with an MCP message: ${text}. Check that --url is the URL of a gateway.`,
      { data: { status } satisfies HttpErrorData },
    );
  }
  const { title, detail, code, requestId } = document;
  const retryAfterSeconds = Number(headers.get('retry-after') ?? Number.NaN);
  const hasRetry = Number.isFinite(retryAfterSeconds);
  const sentences = [
    `${outcome(gateway, status, String(title))}: ${oneLine(String(detail))}`,
    ...(hasRetry ? [`Retry after ${retryAfterSeconds} s.`] : []),
    ...(status === 401 ? ['Set --key or QUERYGATE_KEY to a valid API key.'] : []),
    ...(status === 404
      ? [
          'Check --url, and that the gateway serves MCP: MCP=off disables it, and it needs the packages of MCP.',
        ]
      : []),
  ];
  const data: HttpErrorData = { status, code, requestId, ...(hasRetry && { retryAfterSeconds }) };
  return new GatewayError(sentences.join(' '), { data });
}

/** The JSON-RPC error in the body of a response, if it is one. The SDK itself passes on those with status 400 alone. */
async function jsonRpcError(response: Response): Promise<GatewayError | undefined> {
  const body = (await response.json().catch(() => undefined)) as
    | { readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown } }
    | undefined;
  const { code, message, data } = body?.error ?? {};
  if (typeof code !== 'number' || typeof message !== 'string') return undefined;
  return new GatewayError(message, { code, data });
}

function outcome({ url, apiKey }: Gateway, status: number, title: string): string {
  if (status === 401 && apiKey === undefined) return `The gateway at ${url} requires a key`;
  if (status === 401) return `The gateway at ${url} rejected the key`;
  return `The gateway at ${url} ${status < 500 ? 'rejected the request' : 'failed'} (${status} ${title})`;
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
