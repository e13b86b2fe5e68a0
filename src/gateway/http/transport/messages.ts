import { IncomingMessage, ServerResponse, type RequestListener, type ServerOptions } from 'node:http';
import type { Express } from 'express';

/** The classes of a server's requests and responses. */
export type Messages = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

/** A listener, and the classes of the requests and responses that its server should create. */
export type ListenerWithMessages = RequestListener & { readonly messages: Messages };

/**
 * Classes whose instances Express uses unchanged. Express replaces the prototypes of other instances. V8 then compiles Node's HTTP code
 * for several kinds of objects, and every request of the process takes 1.4 times as long.
 */
export function messagesOf(app: Express): Messages {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  app.request = Request.prototype as unknown as Express['request'];
  app.response = Response.prototype as unknown as Express['response'];
  return { IncomingMessage: Request, ServerResponse: Response as typeof ServerResponse };
}
