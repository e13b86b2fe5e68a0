import { once } from 'node:events';
import { request as send, type Agent, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request of any method. */
export interface HttpRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
}

/** A complete response of status 200. */
export interface HttpResponse {
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/**
 * Sends a request, and reads the complete response.
 *
 * @throws Error with the response if the status is not 200.
 */
export async function sendRequest(
  agent: Agent,
  { url, method, headers, body }: HttpRequest,
): Promise<HttpResponse> {
  const request = send(url, { agent, method, headers });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const received = await buffer(response);
  if (response.statusCode === 200) return { headers: response.headers, body: received };
  throw new Error(`${response.statusCode} of ${url.slice(0, 100)}: ${received.toString().slice(0, 300)}`);
}
