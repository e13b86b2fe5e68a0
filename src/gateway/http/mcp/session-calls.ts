import { randomUUID } from 'node:crypto';

import { Failure } from '../../errors.js';
import { LinkedAbort } from '../../query/signal.js';
import type { Cancellable } from '../call/running-calls.js';
import type { Message } from './read-message.js';

/** The header by which the messages of one client are known (streamable HTTP, session management). */
export const SESSION_HEADER = 'Mcp-Session-Id';

/**
 * Gives a client that introduces itself a session id. The gateway stores nothing under it but the calls that
 * run, and every gateway accepts every id.
 */
export function sessionHeaders({ method, id }: Message): Readonly<Record<string, string>> {
  return method === 'initialize' && id !== undefined ? { [SESSION_HEADER]: randomUUID() } : {};
}

/**
 * The calls that this gateway runs for clients with a session id. Until revision 2025-11-25 a client cancels a call with a
 * message of its own, and leaves the connection of the call open. Ids of messages are small numbers that all clients of a key
 * use, so that only the session id says whose call it is.
 */
export class SessionCalls {
  private readonly calls = new Map<string, LinkedAbort>();

  /**
   * Registers a call until `end`. A second call with the id of a running one, which JSON-RPC forbids, takes its place.
   *
   * @param caller name of the key or token; nobody cancels calls of another.
   * @param disconnected aborts when the client disconnects.
   * @returns the wait of the call, which aborts when it is cancelled too.
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

  /** Cancels the call that a `notifications/cancelled` names, where this gateway runs it. */
  cancel(caller: string, sessionId: string | undefined, { id, cancelled }: Message): void {
    const isNotification = id === undefined && cancelled !== undefined;
    if (!isNotification || sessionId === undefined) return;
    const call = this.calls.get(nameOf(caller, sessionId, cancelled));
    call?.abort(new Failure('CALLER_GONE', 'The client cancelled the call.'));
  }
}

/** The id `1` is another than the id `"1"`. */
function nameOf(caller: string, sessionId: string, id: unknown): string {
  return JSON.stringify([caller, sessionId, id]);
}
