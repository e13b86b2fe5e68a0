import { isLosslessNumber } from 'lossless-json';

import { Failure } from '../../errors.js';
import { isJsonObject } from '../call/json-text.js';

/** A JSON-RPC message. */
export interface Message {
  /** The message as JSON programs parse it. */
  readonly body: object;
  readonly id: unknown;
  readonly method: unknown;
  /** The id of the request that a `notifications/cancelled` cancels. */
  readonly cancelled: unknown;
  /** Name and arguments of a `tools/call`, with numbers as `LosslessNumber`; undefined for other methods. */
  readonly tool: { readonly name: unknown; readonly arguments: unknown } | undefined;
}

/** Reads a message. @param sent numbers are `LosslessNumber`. @throws Failure BAD_REQUEST */
export function readMessage(sent: unknown): Message {
  if (!isJsonObject(sent)) {
    throw new Failure(
      'BAD_REQUEST',
      'The body must be one JSON-RPC message. MCP has no batches since its revision 2025-06-18: send one request each.',
    );
  }
  const { method, params } = sent as { readonly method?: unknown; readonly params?: unknown };
  if (method !== 'tools/call' || !isJsonObject(params)) return messageOf(sent);
  // The arguments are removed, because the SDK would copy them, and reject them with a protocol error, which a model does not read.
  const message = messageOf({ ...sent, params: { ...params, arguments: {} } });
  return { ...message, tool: { name: undefined, arguments: undefined, ...params } };
}

function messageOf(sent: object): Message {
  const body = plain(sent) as ParsedBody;
  const { id, method, params } = body;
  const cancelled = method === 'notifications/cancelled' ? params?.requestId : undefined;
  return { body, id, method, cancelled, tool: undefined };
}

interface ParsedBody {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown } | null;
}

/** A value with numbers in place of `LosslessNumber`. */
function plain(value: unknown): unknown {
  if (isLosslessNumber(value)) return Number(value.value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]));
}
