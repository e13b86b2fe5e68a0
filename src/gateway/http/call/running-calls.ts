import { randomUUID } from 'node:crypto';

import { Failure } from '../../errors.js';
import type { Clock } from '../../query/ports.js';
import type { Signal } from '../../query/signal.js';
import type { ReadCall } from './read-call.js';

/** The wait of a caller: the signal of its call, and what aborts that before the caller disconnects. */
export interface Cancellable {
  readonly signal: Signal;
  readonly abort: (reason: Error) => void;
}

/** A statement of a client of ClickHouse. */
export interface RunningStatement {
  /** Names of the endpoints that it reads. */
  readonly endpoints: readonly string[];
  /** Undefined where it can have a secret value. */
  readonly sql: string | undefined;
  /** Which the client chose. */
  readonly queryId: string | undefined;
  /** What the client says that it is. */
  readonly tool: string | undefined;
}

/** A call that runs. */
export interface RunningCall {
  /** Name of the key, token or signing key. */
  readonly caller: string;
  readonly call: ReadCall | RunningStatement;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly wait: Cancellable;
}

/** URLs lose such segments, so that the path of a call with this id could not be sent. */
const DOT_SEGMENT = /^\.\.?$/;

/** The valid calls that this gateway runs, by REST, MCP and as statements, for operators. Hits of the fast path are not among them. */
export class RunningCalls {
  private readonly calls = new Map<string, RunningCall>();

  constructor(private readonly clock: Clock) {}

  /**
   * Registers a call until {@link end}.
   *
   * @returns its id: that of its request, unless another running call has it. Callers choose ids of requests.
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

  /** Cancels the statements of a key to which its client gave an id: two keys can choose the same. */
  kill(caller: string, queryId: string): void {
    for (const running of this.calls.values()) {
      if (running.caller !== caller || !('queryId' in running.call) || running.call.queryId !== queryId)
        continue;
      // As one that disconnects: it wants no stale result either.
      running.wait.abort(new Failure('CALLER_GONE', 'The client cancelled this statement with KILL QUERY.'));
    }
  }

  /** The calls by id, oldest first. */
  all(): ReadonlyMap<string, RunningCall> {
    return this.calls;
  }

  /**
   * Aborts the wait of one caller. The query goes on where others wait for it.
   *
   * @returns the call; undefined where none with this id runs.
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
