import type { Principal } from '../../auth/principal.js';
import type { Deferral } from '../../scheduler/deferred-calls.js';
import type { ReadCall } from './read-call.js';
import type { Cancellable } from './running-calls.js';

/** Seconds that a request with `respond-async` waits where it does not say. */
const DEFAULT_WAIT_SECONDS = 5;

/** Deferred calls of a key without a limit on concurrent queries, at one gateway. */
const MAX_DEFERRED = 10;

/** A wait that an operator can cancel, with the call that it starts; the call may go on after the request. */
export class DeferrableWait implements Cancellable {
  /** Settles when what this request started has ended. */
  ended: Promise<void> | undefined;
  readonly signal: Cancellable['signal'];
  private cancelCall: Cancellable['abort'] | undefined;

  constructor(private readonly wait: Cancellable) {
    this.signal = wait.signal;
  }

  abort(reason: Error): void {
    this.cancelCall?.(reason);
    this.wait.abort(reason);
  }

  /** How a call of the principal is deferred. @param seconds how long its request waits */
  deferral({ name, limits, signedBy }: Principal, call: ReadCall, seconds = DEFAULT_WAIT_SECONDS): Deferral {
    return {
      caller: name,
      request: requestOf(call),
      max: (signedBy?.limits ?? limits)?.concurrent ?? MAX_DEFERRED,
      seconds,
      onStart: (work, ended) => {
        this.ended = ended;
        this.cancelCall = (reason) => {
          work.abort(reason);
        };
      },
    };
  }
}

/** What the same request has, although its relative times mean others now; undefined without such. A secret value is enclosed. */
function requestOf({ query, sent, sql }: ReadCall): string | undefined {
  if (query.changesAt === undefined) return undefined;
  const { endpoint, scope, values, representation, pageRows } = query;
  const written = [...sent].map(([name, raw]) => [
    name,
    endpoint.parameters.get(name)?.secret ? values.get(name) : raw,
  ]);
  return JSON.stringify([endpoint.digest, scope, written, sql, representation?.name, pageRows]);
}
