import { randomUUID } from 'node:crypto';

import { Failure } from '../../errors.js';
import type { Clock } from '../../query/ports.js';
import type { Signal } from '../../query/signal.js';
import type { ReadCall } from './read-call.js';

/** The wait of a caller: its signal, and a function that aborts it before the caller disconnects. */
export interface Cancellable {
  readonly signal: Signal;
  readonly abort: (reason: Error) => void;
}

/** A statement of a ClickHouse client. */
export interface RunningStatement {
  /** Names of the endpoints that the statement reads. */
  readonly endpoints: readonly string[];
  /** The text of the statement; undefined where it can contain a secret value. */
  readonly sql: string | undefined;
  /** Id that the client chose for the statement. */
  readonly queryId: string | undefined;
  /** User-Agent of the client. */
  readonly tool: string | undefined;
}

/** A running call. */
export interface RunningCall {
  /** Name of the principal: of the key, of the token, or of the key that signed the link. */
  readonly caller: string;
  readonly call: ReadCall | RunningStatement;
  /** Start of the call; milliseconds since 1970. */
  readonly since: number;
  readonly wait: Cancellable;
}

/** A dot segment, which URLs lose: the path of a call with such an id could not be sent. */
const DOT_SEGMENT = /^\.\.?$/;

/** The valid calls that this gateway runs (REST, MCP and statements), for operators. They do not include hits of the fast path. */
export class RunningCalls {
  private readonly calls = new Map<string, RunningCall>();

  constructor(private readonly clock: Clock) {}

  /**
   * Registers a call until {@link end}.
   *
   * @returns its id: that of its request, unless another running call has the same. Callers choose ids of requests.
   */
  begin(requestId: string, caller: string, call: RunningCall['call'], wait: Cancellable): string {
    const isUsable = !this.calls.has(requestId) && !DOT_SEGMENT.test(requestId);
    const id = isUsable ? requestId : randomUUID();
    this.calls.set(id, { caller, call, since: this.clock().getTime(), wait });
    return id;
  }

  end(id: string): void {
    this.calls.delete(id);
  }

  /** Cancels the statements of a key by the id that its client chose. The key is part of the search: two keys can choose the same id. */
  kill(caller: string, queryId: string): void {
    for (const running of this.calls.values()) {
      if (running.caller !== caller || !('queryId' in running.call) || running.call.queryId !== queryId)
        continue;
      // The reason is that of a disconnected client, because the client wants no stale result either.
      running.wait.abort(new Failure('CALLER_GONE', 'The client cancelled this statement with KILL QUERY.'));
    }
  }

  /** The calls by id, oldest first. */
  all(): ReadonlyMap<string, RunningCall> {
    return this.calls;
  }

  /**
   * Aborts the wait of one caller. The query continues while others wait for it.
   *
   * @returns the call; undefined where no call with this id is running.
   */
  cancel(id: string): RunningCall | undefined {
    const running = this.calls.get(id);
    running?.wait.abort(
      new Failure(
        'CALL_CANCELLED',
        'An operator of the gateway cancelled this call. Ask them before you send it again.',
      ),
    );
    return running;
  }
}
