import { randomUUID } from 'node:crypto';

import { Failure } from '../../errors.js';
import { LinkedAbort } from '../../query/signal.js';
import type { Cancellable } from '../call/running-calls.js';
import type { Message } from './read-message.js';

/** The header that identifies the messages of one client (streamable HTTP, session management). */
export const SESSION_HEADER = 'Mcp-Session-Id';

/**
 * Assigns a session id to a client that sends `initialize`. The gateway stores only running calls under the id, and every gateway
 * accepts every id.
 */
export function sessionHeaders({ method, id }: Message): Readonly<Record<string, string>> {
  return method === 'initialize' && id !== undefined ? { [SESSION_HEADER]: randomUUID() } : {};
}

/**
 * The calls that this gateway runs for clients with a session id. Before revision 2025-11-25 a client cancels a call with a separate
 * message, and leaves the call's connection open. Message ids are small numbers, which all clients of a key use. So only the
 * session id identifies the client of a call.
 */
export class SessionCalls {
  private readonly calls = new Map<string, LinkedAbort>();

  /**
   * Registers a call until `end`. A second call with the id of a running one, which JSON-RPC forbids, replaces it.
   *
   * @param caller name of the key or token: a caller cannot cancel calls of another.
   * @param disconnected aborts when the client disconnects.
   * @returns the wait of the call, which aborts when the client disconnects or cancels the call.
   */
  begin(
    caller: string,
    sessionId: string | undefined,
    id: unknown,
    disconnected: Cancellable,
  ): { readonly wait: Cancellable; readonly end: () => void } {
    if (sessionId === undefined) return { wait: disconnected, end: () => undefined };
    const name = nameOf(caller, sessionId, id);
    const call = new LinkedAbort(disconnected.signal);
    this.calls.set(name, call);
    const end = (): void => {
      call.end();
      if (this.calls.get(name) === call) this.calls.delete(name);
    };
    return { wait: call, end };
  }

  /** Cancels the call that a `notifications/cancelled` names, if this gateway runs it. */
  cancel(caller: string, sessionId: string | undefined, { id, cancelled }: Message): void {
    const isNotification = id === undefined && cancelled !== undefined;
    if (!isNotification || sessionId === undefined) return;
    const call = this.calls.get(nameOf(caller, sessionId, cancelled));
    call?.abort(new Failure('CALLER_GONE', 'The client cancelled the call.'));
  }
}

/** The key of a call. JSON distinguishes the id `1` from the id `"1"`. */
function nameOf(caller: string, sessionId: string, id: unknown): string {
  return JSON.stringify([caller, sessionId, id]);
}
