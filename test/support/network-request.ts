import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** An HTTP response as received. */
export interface NetworkResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface NetworkRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

/** Sends one request on a connection of its own, with the listed headers only. */
export async function sendRequest(
  url: string,
  { headers = {}, method = 'GET', body, signal }: NetworkRequest = {},
): Promise<NetworkResponse> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method, headers, agent: false as const, ...(signal && { signal }) };
    request(url, options, resolve).on('error', reject).end(body);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: Buffer.concat(chunks).toString(),
  };
}

/** Returns the code of a problem document, or undefined for any other response. */
export function codeOf({ text, headers }: NetworkResponse): string | undefined {
  if (!headers['content-type']?.startsWith('application/problem+json')) return undefined;
  return (JSON.parse(text) as { readonly code: string }).code;
}

/** Returns status and code of a response as one text: `403 FORBIDDEN`, or `200`. */
export function outcomeOf(response: NetworkResponse): string {
  const code = codeOf(response);
  return code === undefined ? String(response.status) : `${response.status} ${code}`;
}

/** Parses the rows of a result. @throws Error if the status is not 200. */
export function rowsIn({ status, text }: NetworkResponse): readonly Readonly<Record<string, unknown>>[] {
  if (status !== 200) throw new Error(`expected status 200, got ${status}: ${text}`);
  return (JSON.parse(text) as { result: Record<string, unknown>[] }).result;
}
