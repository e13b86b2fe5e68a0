import { hash } from 'node:crypto';

import { callerGone, ABOUT_LEADER, Failure } from '../errors.js';
import type { CacheKey } from '../query/cache-key.js';
import type { Call, CallOutcome } from '../query/call.js';
import { sizeOf } from '../query/endpoint-result.js';
import type { Clock, DeferredBoard, OnBackgroundQuery } from '../query/ports.js';
import { Abort, setRealTimer, unlessAborted, type SetTimer } from '../query/signal.js';
import { withDeadline } from './deadline.js';

/** Seconds after which a call that nobody repeats is cancelled; so long its result waits for whoever asked for it. */
const WANTED_SECONDS = 60;
/** Seconds for which its failure is reported to those who repeat the call. */
const FAILURE_SECONDS = 10;
/** Bytes of the results that wait for their callers, beside the newest: many of them are in the cache too. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** A call that runs although its caller got no result. */
export interface StillRunning {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Seconds in ClickHouse after which it fails. */
  readonly timeLimitSeconds: number;
}

export interface Deferral {
  /** Name of the key, token or signing key: a deferred call is one of its caller. */
  readonly caller: string;
  /** What the same request has, where its cache key changes with the time. */
  readonly request?: string | undefined;
  /** How many the caller may have at this gateway. */
  readonly max: number;
  /** How long this request waits for the result. */
  readonly seconds: number;
  /** Called where this request starts the call, with what cancels it. */
  readonly onStart: (work: Abort, ended: Promise<void>) => void;
}

export interface DeferredDependencies {
  readonly executeCall: (call: Call, key: CacheKey) => Promise<CallOutcome>;
  /** Finds a stale result that may take the place of one that does not come in time. */
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
  /** Requests that wait for it. */
  waiting: number;
  /** Whether the request that started it waits. */
  isStarterWaiting: boolean;
  /** Whether a request ended without a result, and will be repeated. */
  isAwaited: boolean;
  /** Seconds for which its result or its failure is kept; undefined while it runs. */
  keptSeconds: number | undefined;
  /** Of a result that is kept. */
  keptBytes: number;
  cancelTimer: () => void;
}

/**
 * Calls of `Prefer: respond-async` (RFC 7240): they continue when their request ends without a result, and the same request of the same
 * caller joins them or gets their result. One that nobody repeats is cancelled.
 */
export class DeferredCalls {
  readonly #calls = new Map<string, Deferred>();

  constructor(private readonly dependencies: DeferredDependencies) {}

  /**
   * @param call its signal ends the wait of this request only.
   * @returns where the result does not come in time and no stale one may take its place: since when the call runs
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
    // The query is that of the request that started it, or has a row of its own in the request log.
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

  /** A result that is not cached is stored for its caller alone, who can repeat the request at any gateway. */
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

  /** Forgets the results that began first where all are too large together. The next request for one of them starts its query again. */
  #keepWithin(newest: Deferred, bytes: number): void {
    newest.keptBytes = bytes;
    let all = bytes;
    for (const [id, deferred] of [...this.#calls].reverse()) {
      if (deferred === newest || deferred.keptBytes === 0) continue;
      all += deferred.keptBytes;
      if (all > MAX_WAITING_BYTES) this.#forget(id, deferred);
    }
  }

  /** Waits until nobody wants the call, or what is kept of it. */
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

  /** Cancels a call so that a request for it starts it again. */
  #cancel(id: string, deferred: Deferred, reason: Failure): void {
    deferred.isAwaited = false;
    this.#forget(id, deferred);
    deferred.work.abort(reason);
  }

  #forget(id: string, deferred: Deferred): void {
    deferred.cancelTimer();
    if (this.#calls.get(id) === deferred) this.#calls.delete(id);
  }

  /** Reports the query where no request does: the one that started it has ended. */
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

/** How a request waits for a call. */
interface Waiting {
  readonly call: Call;
  readonly key: CacheKey;
  readonly seconds: number;
  readonly isStarter: boolean;
}
