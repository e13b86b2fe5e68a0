import type { Request, Response } from 'express';

import { Failure } from '../../errors.js';
import { readJsonText } from '../json-body.js';
import { isJsonObject, parseJsonText } from '../json-text.js';

/** A JSON-RPC message. */
export interface Message {
  /** As JSON programs parse it. */
  readonly body: object;
  readonly id: unknown;
  readonly method: unknown;
  /** The id of the request that a `notifications/cancelled` cancels. */
  readonly cancelled: unknown;
  /** Of `tools/call`: the name and the arguments, whose numbers are `LosslessNumber`. */
  readonly tool: { readonly name: unknown; readonly arguments: unknown } | undefined;
}

/** Reads the message in the body of a request. @throws Failure as `readJsonText`, and BAD_REQUEST */
export async function readMessage(request: Request, response: Response): Promise<Message> {
  const text = await readJsonText(request, response);
  const lossless = parseJsonText(text);
  if (!isJsonObject(lossless)) {
    throw new Failure(
      'BAD_REQUEST',
      'The body must be one JSON-RPC message. MCP has no batches since its revision 2025-06-18: send one request each.',
    );
  }
  const body = JSON.parse(text) as ParsedBody;
  const { id, method } = body;
  const { params } = lossless as { readonly params?: unknown };
  const cancelled = method === 'notifications/cancelled' ? body.params?.requestId : undefined;
  if (method !== 'tools/call' || !isJsonObject(params))
    return { body, id, method, cancelled, tool: undefined };
  const tool: Message['tool'] = { name: undefined, arguments: undefined, ...params };
  // The SDK would reject them with an error of the protocol, which a model does not read.
  if (!isJsonObject(tool.arguments)) body.params = { ...body.params, arguments: {} };
  return { body, id, method, cancelled, tool };
}

interface ParsedBody {
  readonly id?: unknown;
  readonly method?: unknown;
  params?: { readonly requestId?: unknown; readonly arguments?: object } | null;
}
