import { IncomingMessage, ServerResponse, type RequestListener, type ServerOptions } from 'node:http';
import type { Express } from 'express';

/** The classes of a server's requests and responses. */
export type Messages = Required<Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>>;

/** A listener, and of which classes its server should create requests and responses. */
export type ListenerWithMessages = RequestListener & { readonly messages: Messages };

/**
 * Classes whose instances Express takes as they are. Express replaces the prototypes of others, and Node's HTTP code, which V8
 * has then compiled for several kinds of objects, takes 1.4 times as long for every request of the process.
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
