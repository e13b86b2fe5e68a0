import { hash } from 'node:crypto';

import { callerGone, ABOUT_LEADER, Failure } from '../errors.js';
import type { CacheKey } from '../query/cache-key.js';
import type { Call, CallOutcome } from '../query/call.js';
import { sizeOf } from '../query/endpoint-result.js';
import type { Clock, DeferredBoard, OnBackgroundQuery } from '../query/ports.js';
import { Abort, setRealTimer, unlessAborted, type SetTimer } from '../query/signal.js';
import { withDeadline } from './deadline.js';

/** Seconds after which a call that no request repeats is cancelled. For the same time its result waits for the caller. */
const WANTED_SECONDS = 60;
/** Seconds for which a failure is reported to requests that repeat the call. */
const FAILURE_SECONDS = 10;
/** Maximum size of the waiting results, in bytes, besides the newest. Many of these results are in the cache too. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** A call that runs although its request got no result. */
export interface StillRunning {
  /** Start of the call, in milliseconds since 1970. */
  readonly since: number;
  /** Time limit of the call in ClickHouse, in seconds. */
  readonly timeLimitSeconds: number;
}

export interface Deferral {
  /** Name of the key, token or signing key. A deferred call belongs to one caller. */
  readonly caller: string;
  /** Text that equal requests share. Undefined where the cache key does not change with the time, and identifies the request. */
  readonly request?: string | undefined;
  /** Maximum number of deferred calls of the caller at this gateway. */
  readonly max: number;
  /** Time for which this request waits for the result, in seconds. */
  readonly seconds: number;
  /** Called if this request starts the call, with the abort that cancels the call. */
  readonly onStart: (work: Abort, ended: Promise<void>) => void;
}

export interface DeferredDependencies {
  readonly executeCall: (call: Call, key: CacheKey) => Promise<CallOutcome>;
  /** Finds a stale result that may replace one that does not come in time. */
  readonly findStale: (key: CacheKey) => Promise<CallOutcome | undefined>;
  readonly board?: DeferredBoard | undefined;
  readonly onBackground?: OnBackgroundQuery | undefined;
  /** `QUERY_TIMEOUT_SECONDS` */
  readonly maxSeconds: number;
  readonly clock: Clock;
  readonly setTimer?: SetTimer;
}

interface Deferred {
  readonly caller: string;
  readonly since: number;
  readonly work: Abort;
  readonly result: Promise<CallOutcome>;
  /** Number of requests that wait for the call. */
  waiting: number;
  /** Whether the request that started the call waits. */
  isStarterWaiting: boolean;
  /** Whether a request ended without a result and will be repeated. */
  isAwaited: boolean;
  /** Time for which the result or the failure waits for its caller, in seconds. Undefined while the call runs. */
  keptSeconds: number | undefined;
  /** Size of a waiting result, in bytes. */
  keptBytes: number;
  cancelTimer: () => void;
}

/**
 * Calls of `Prefer: respond-async` (RFC 7240). They continue when their request ends without a result. The same request of the same caller
 * then joins the call or gets its result. A call that no request repeats is cancelled.
 */
export class DeferredCalls {
  readonly #calls = new Map<string, Deferred>();

  constructor(private readonly dependencies: DeferredDependencies) {}

  /**
   * @param call call whose signal ends the wait of this request only.
   * @returns the start of the running call, where its result does not come in time and no stale one may replace it
   * @throws Failure
   */
  async execute(call: Call, key: CacheKey, deferral: Deferral): Promise<CallOutcome | StillRunning> {
    const { caller, request = key.hash, max, seconds } = deferral;
    const id = hash('sha256', JSON.stringify([caller, request, call.demand]), 'hex');
    const failure = await this.dependencies.board?.want(id, WANTED_SECONDS);
    const running = this.#calls.get(id);
    if (!running && failure) throw failure;
    if (!running && [...this.#calls.values()].filter((each) => each.caller === caller).length >= max)
      return this.#executeInTime(call, key, seconds);
    const deferred = running ?? this.#start(id, call, key, deferral);
    const outcome = await this.#waitFor(id, deferred, { call, key, seconds, isStarter: !running });
    // The request that started the query reports its cost. If that request has ended, the query has a row of its own in the request log.
    return running && 'result' in outcome ? { ...outcome, isCollapsed: true, callers: 0 } : outcome;
  }

  /** Cancels all calls. */
  readonly close = (): void => {
    const reason = new Failure('SHUTTING_DOWN', 'The gateway is shutting down. Send the request again.');
    for (const [id, deferred] of this.#calls) this.#cancel(id, deferred, reason);
  };

  async #executeInTime(call: Call, key: CacheKey, seconds: number): Promise<CallOutcome> {
    const signal = withDeadline(call.signal, seconds, this.dependencies.setTimer);
    return this.dependencies.executeCall({ ...call, signal }, key).finally(() => {
      signal.end();
    });
  }

  #start(id: string, call: Call, key: CacheKey, { caller, onStart }: Deferral): Deferred {
    const { executeCall, clock } = this.dependencies;
    const work = new Abort();
    const deferred: Deferred = {
      caller,
      work,
      since: clock().getTime(),
      waiting: 0,
      isStarterWaiting: true,
      isAwaited: false,
      result:
        call.endpoint.settings.caching === 'disabled'
          ? this.#executeUncached({ ...call, signal: work }, key, caller)
          : executeCall({ ...call, signal: work }, key),
      keptSeconds: undefined,
      keptBytes: 0,
      cancelTimer: () => undefined,
    };
    this.#calls.set(id, deferred);
    const ended = deferred.result.then(
      (outcome) => {
        this.#noteQuery(call, deferred, outcome);
        this.#end(id, deferred, WANTED_SECONDS);
        if (deferred.keptSeconds) this.#keepWithin(deferred, sizeOf(outcome.result));
      },
      async (error: unknown) => {
        const isOfQuery = !(error instanceof Failure && ABOUT_LEADER.has(error.code));
        this.#end(id, deferred, isOfQuery ? FAILURE_SECONDS : 0);
        if (deferred.keptSeconds) await this.dependencies.board?.fail(id, error, FAILURE_SECONDS);
      },
    );
    onStart(work, ended);
    return deferred;
  }

  /** Stores a result that is not cached for its caller only, who can repeat the request at any gateway. */
  async #executeUncached(call: Call, key: CacheKey, caller: string): Promise<CallOutcome> {
    const ofCaller = hash('sha256', JSON.stringify(['deferred', caller, key.hash]), 'hex');
    const kept = { ...key, hash: ofCaller, cachingMs: WANTED_SECONDS * 1000 };
    const outcome = await this.dependencies.executeCall(call, kept);
    return { ...outcome, status: 'BYPASS', isStored: false };
  }

  async #waitFor(
    id: string,
    deferred: Deferred,
    { call, key, seconds, isStarter }: Waiting,
  ): Promise<CallOutcome | StillRunning> {
    deferred.waiting += 1;
    deferred.cancelTimer();
    const signal = withDeadline(call.signal, seconds, this.dependencies.setTimer);
    try {
      const outcome = await unlessAborted(deferred.result, signal);
      this.#forget(id, deferred);
      return outcome;
    } catch (error) {
      if (error !== signal.reason) throw error;
      deferred.isAwaited = true;
      if (call.signal.aborted) throw error;
      const stale = await this.dependencies.findStale(key);
      const { timeoutSeconds = Infinity } = call.endpoint.settings.queryLimits ?? {};
      const timeLimitSeconds = Math.min(this.dependencies.maxSeconds, timeoutSeconds);
      return stale ?? { since: deferred.since, timeLimitSeconds };
    } finally {
      signal.end();
      deferred.waiting -= 1;
      if (isStarter) deferred.isStarterWaiting = false;
      this.#watch(id, deferred);
    }
  }

  #end(id: string, deferred: Deferred, seconds: number): void {
    deferred.keptSeconds = deferred.isAwaited ? seconds : 0;
    this.#watch(id, deferred);
  }

  /** Removes the oldest results while all together are too large. The next request for such a result starts its query again. */
  #keepWithin(newest: Deferred, bytes: number): void {
    newest.keptBytes = bytes;
    let all = bytes;
    for (const [id, deferred] of [...this.#calls].reverse()) {
      if (deferred === newest || deferred.keptBytes === 0) continue;
      all += deferred.keptBytes;
      if (all > MAX_WAITING_BYTES) this.#forget(id, deferred);
    }
  }

  /** Waits until no request wants the call or its result any more. */
  #watch(id: string, deferred: Deferred): void {
    const { setTimer = setRealTimer, board } = this.dependencies;
    deferred.cancelTimer();
    if (deferred.waiting > 0 || this.#calls.get(id) !== deferred) return;
    const { keptSeconds } = deferred;
    if (keptSeconds === 0) {
      this.#forget(id, deferred);
      return;
    }
    const onTime = async (): Promise<void> => {
      const isWanted = keptSeconds === undefined && (await board?.isWanted(id)) === true;
      if (isWanted || deferred.waiting > 0) {
        this.#watch(id, deferred);
        return;
      }
      this.#cancel(id, deferred, callerGone());
    };
    deferred.cancelTimer = setTimer(() => void onTime(), (keptSeconds ?? WANTED_SECONDS) * 1000);
  }

  /** Cancels a call. A later request for it starts a new one. */
  #cancel(id: string, deferred: Deferred, reason: Failure): void {
    deferred.isAwaited = false;
    this.#forget(id, deferred);
    deferred.work.abort(reason);
  }

  #forget(id: string, deferred: Deferred): void {
    deferred.cancelTimer();
    if (this.#calls.get(id) === deferred) this.#calls.delete(id);
  }

  /** Reports the cost of a query whose own request has ended. */
  #noteQuery(
    { endpoint }: Call,
    deferred: Deferred,
    { result, isCollapsed, callers = 0 }: CallOutcome,
  ): void {
    if (deferred.isStarterWaiting || isCollapsed || callers === 0) return;
    const { cost, queryId } = result;
    const { name } = endpoint;
    const { caller } = deferred;
    this.dependencies.onBackground?.({ purpose: 'deferred', endpoint: name, caller, cost, queryId, callers });
  }
}

/** Facts about the request that waits for a call. */
interface Waiting {
  readonly call: Call;
  readonly key: CacheKey;
  readonly seconds: number;
  readonly isStarter: boolean;
}
