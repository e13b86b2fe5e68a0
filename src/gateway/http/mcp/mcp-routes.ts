import type { IncomingHttpHeaders } from 'node:http';
import { Router, type Request, type RequestHandler, type Response as ExpressResponse } from 'express';

import type { Endpoint } from '../../../endpoint/endpoint.js';
import { Failure } from '../../errors.js';
import type { LimitState } from '../../limits/limit-state.js';
import type { ApiParts } from '../api-parts.js';
import { authenticate } from '../call/credentials.js';
import { clientDisconnected } from '../call/call-endpoint.js';
import { limitsOfMessage } from '../call/json-counts.js';
import { limitRequests, setLimitHeaders, subjectsOf } from '../call/limit-requests.js';
import { readPreferences } from '../call/sent-call.js';
import { rejectMethodsExcept } from '../transport/reject-method.js';
import { contextOf, principalOf, type RequestContext } from '../transport/request-context.js';
import type { McpOptions, McpParts } from './mcp-parts.js';
import { noteError } from './protocol-error.js';
import { readMessage, type Message } from './read-message.js';
import { nameMetadata } from './resource-metadata.js';
import type { MessageServer } from './serve-message.js';
import { SESSION_HEADER, SessionCalls, sessionHeaders } from './session-calls.js';
import { Tools } from './tools.js';

/** `POST /mcp`: the endpoints as tools for agents, in the Model Context Protocol (streamable HTTP, stateless). */
export function mcpRoutes(parts: ApiParts, options: McpOptions): Router {
  const { credentials, endpoints, limiter, corsOrigins, publicUrl, times = 'iso' } = parts;
  const router = Router({ caseSensitive: true });
  router.use(requireOrigin(corsOrigins), authenticate(credentials, endpoints));
  router
    .route('/')
    .post(serveMessages({ tools: new Tools(endpoints, times), ...options, ...parts }))
    .all(limitRequests(limiter, endpoints), rejectMethodsExcept('POST'));
  if (options.authorizationServer !== undefined) router.use(nameMetadata(publicUrl));
  return router;
}

/** Rejects pages of other origins: with DNS rebinding, such a page could send messages to this server as its own. */
function requireOrigin(origins: readonly string[]): RequestHandler {
  return ({ headers: { origin } }, _response, next) => {
    if (origin !== undefined && !origins.includes(origin)) {
      throw new Failure(
        'FORBIDDEN',
        'Pages of this origin may not send messages. CORS_ORIGINS of the gateway lists those that may.',
      );
    }
    next();
  };
}

function serveMessages(parts: McpParts): RequestHandler {
  const calls = new SessionCalls();
  let messages: MessageServer | undefined;
  return async (request, response) => {
    const context = contextOf(request);
    const principal = principalOf(context);
    const sessionId = request.get(SESSION_HEADER);
    const message = await readCounted(parts, request, response);
    calls.cancel(principal.name, sessionId, message);
    // Registered before anything that waits, because the message that cancels the call can follow at once.
    const call = calls.begin(principal.name, sessionId, message.id, clientDisconnected(response));
    try {
      const rejected = await admit(parts, context, message, response);
      messages ??= await loadServer(parts);
      const sent = await messages.serve(headersOf(request.headers), message, {
        ...{ context, principal, rejected, response },
        wait: call.wait,
        preferences: readPreferences(request.get('Prefer')),
        tags: tagsIn(request.originalUrl),
        arguments: message.tool?.arguments,
      });
      await send(response, sent, context, message);
    } finally {
      call.end();
    }
  };
}

/** Loads the SDK. It takes memory and 70 ms to load, so that only a gateway with agents loads it. */
async function loadServer(parts: McpParts): Promise<MessageServer> {
  const { MessageServer } = await import('./serve-message.js');
  return new MessageServer(parts);
}

/** Reads the message. A malformed message counts against its key too. @throws Failure */
async function readCounted(parts: McpParts, request: Request, response: ExpressResponse): Promise<Message> {
  try {
    const limits = limitsOfMessage(parts.endpoints.all());
    return readMessage(await parts.bodies.read(request, response, limits));
  } catch (error) {
    await count(parts, contextOf(request), undefined);
    throw error;
  }
}

/**
 * Counts the message like a REST request: against its key, and against the endpoint whose tool it calls.
 *
 * @returns why a call of a tool is rejected, which the result of the tool reports.
 * @throws LimitExceeded for other messages.
 */
async function admit(
  parts: McpParts,
  context: RequestContext,
  { tool }: Message,
  response: ExpressResponse,
): Promise<Failure | undefined> {
  const principal = principalOf(context);
  const endpoint = tool && parts.tools.find(principal, tool.name);
  if (endpoint) context.endpoint = endpoint.name;
  try {
    setLimitHeaders(response, await count(parts, context, endpoint), principal);
    return undefined;
  } catch (error) {
    if (endpoint && error instanceof Failure) return error;
    throw error;
  }
}

async function count(
  { limiter, endpoints }: McpParts,
  context: RequestContext,
  endpoint: Endpoint | undefined,
): Promise<readonly LimitState[]> {
  const limits = await limiter.admitRequest(subjectsOf(endpoints, principalOf(context), endpoint));
  context.limits = limits;
  return limits;
}

/** The tags in a request target: `tag` may be repeated. */
function tagsIn(target: string): ReadonlySet<string> | undefined {
  const sent = new URLSearchParams(target.split('?')[1] ?? '').getAll('tag');
  const tags = sent.flatMap((tag) => tag.split(',')).filter((tag) => tag !== '');
  return tags.length === 0 ? undefined : new Set(tags);
}

function headersOf(headers: IncomingHttpHeaders): Headers {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && TRANSPORT_HEADERS.test(name)) copied.set(name, value);
  }
  return copied;
}

/** The headers that the protocol defines. Only these are passed to the SDK, which need not see the key. */
const TRANSPORT_HEADERS = /^(?:accept|content-type|mcp-.*)$/;

async function send(
  response: ExpressResponse,
  sent: Response,
  context: RequestContext,
  message: Message,
): Promise<void> {
  const { status } = sent;
  const body = noteError(context, Buffer.from(await sent.arrayBuffer()), status);
  const headers = {
    ...Object.fromEntries(sent.headers),
    ...(context.failure === undefined && sessionHeaders(message)),
    'Cache-Control': 'no-store',
    'Content-Length': String(body.length),
  };
  response.writeHead(status, headers).end(body);
}
