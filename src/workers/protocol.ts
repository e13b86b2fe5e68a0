import type { LeftFailure } from '../cache/left-failure.js';
import type { UsageWords } from '../cache/gateways-usage.js';
import type { Answer } from '../execution/answer.js';
import type { PurgeScope } from '../execution/answer-store.js';
import type { CacheKey } from '../execution/cache-key.js';
import type { NamedQuota, Permit, SharedWindow } from '../limits/shared-limits.js';
import type { WarmingView } from '../admin/operator-view.js';
import type { WorkerSnapshot } from './worker-snapshot.js';

/** Where the gateway listens. */
export interface Where {
  readonly url: string;
  readonly adminUrl?: string;
  /** Whether ClickHouse answered at the start. */
  readonly hasClickHouse: boolean;
}

export interface StoredAnswer {
  readonly key: CacheKey;
  readonly answer: Answer;
  /** Milliseconds since 1970. */
  readonly keepUntil: number;
}

/** A worker's part in a question that several miss at the same time. */
export interface FlightTicket {
  readonly key: CacheKey;
  /** Of this caller alone. */
  readonly token: string;
}

/** What a worker that misses is to do: ask ClickHouse, wait for who does, or take what came meanwhile. */
export type FlightRole =
  { readonly role: 'ask' | 'wait' } | { readonly role: 'take'; readonly answer: Answer };

/** How a wait ends: with the answer, the failure, or by being the next to ask. */
export type FlightOutcome =
  { readonly answer: Answer } | { readonly failure: LeftFailure } | { readonly ask: true };

/** A worker's question for units of a quota. */
export interface UnitsAsked extends NamedQuota {
  /** Requests that wait for one. */
  readonly wanted: number;
  /** Units that it has left of the window that it knows. */
  readonly unused: number;
  readonly windowId: number | undefined;
}

/** Units of a quota that a worker may use without asking, until their window ends. */
export interface UnitsGranted {
  /** Tells the window from those before and after it. */
  readonly windowId: number;
  readonly granted: number;
  /** Units in the window that others used, as far as is known, and all that this worker was ever granted. */
  readonly count: number;
  readonly msLeft: number;
}

/** Units of a quota that no request used. */
export interface UnitsUnused {
  readonly name: string;
  readonly windowId: number;
  readonly units: number;
}

/** What workers ask the primary. */
export interface PrimaryCalls {
  readonly 'answers.get': (key: CacheKey) => Answer | undefined;
  readonly 'answers.set': (stored: StoredAnswer) => void;
  /** How many workers have not said that they dropped what was meant: they are too busy, and do it later. */
  readonly 'answers.purge': (scope: PurgeScope) => number;
  readonly 'flights.enter': (ticket: FlightTicket) => FlightRole;
  /** Whether the one that waited too long asks now, for all that wait. */
  readonly 'flights.overtake': (ticket: FlightTicket) => boolean;
  /** Over, with its answer stored, or with a failure. */
  readonly 'flights.land': (landed: FlightTicket & { readonly failure?: LeftFailure }) => void;
  /** Gone before it was over. */
  readonly 'flights.leave': (ticket: FlightTicket) => void;
  readonly 'limits.add': (added: {
    readonly name: string;
    readonly amount: number;
    readonly windowSeconds: number;
  }) => SharedWindow;
  /** Null where no window runs, and nobody waits for one to begin. */
  readonly 'limits.grant': (asked: UnitsAsked) => UnitsGranted | null;
  readonly 'limits.giveBack': (unused: readonly UnitsUnused[]) => true;
  readonly 'limits.read': (name: string) => SharedWindow | null;
  readonly 'limits.take': (taken: {
    readonly permit: Permit;
    readonly max: number;
    readonly permitMs: number;
  }) => boolean;
  readonly 'limits.give': (permit: Permit) => void;
  readonly 'lease.take': (lease: { readonly token: string; readonly leaseMs: number }) => boolean;
  readonly 'lease.renew': (lease: { readonly token: string; readonly leaseMs: number }) => boolean;
  readonly 'lease.release': (token: string) => void;
  readonly 'usage.write': (written: { readonly words: UsageWords; readonly keptMs: number }) => true;
  readonly 'usage.read': (read: {
    readonly endpointId: string;
    readonly gateway: string;
  }) => readonly string[];
  /** What this worker counted so far: kept for when it is gone. */
  readonly 'view.note': (snapshot: WorkerSnapshot) => void;
  /** The snapshots of all workers, of those that are gone, and of the primary. */
  readonly 'view.gather': (nothing: null) => readonly WorkerSnapshot[];
  /** The state of the warming of each worker that answers, in the order in which they were started. */
  readonly 'view.warming': (nothing: null) => readonly WarmingView[];
  readonly 'view.warm': (nothing: null) => void;
  /** It listens. */
  readonly 'worker.ready': (where: Where) => void;
  /** It can't start. */
  readonly 'worker.failed': (reason: string) => void;
}

/** What the primary asks a worker. */
export interface WorkerCalls {
  /** An answer took the place of an older one. */
  readonly 'answers.replaced': (stored: StoredAnswer) => void;
  readonly 'answers.purged': (scope: PurgeScope) => void;
  readonly 'flights.over': (over: { readonly token: string; readonly outcome: FlightOutcome }) => void;
  /** Gives back what it holds of a quota; how many units these are. */
  readonly 'limits.recall': (held: { readonly name: string; readonly windowId: number }) => number;
  readonly 'view.snapshot': (nothing: null) => WorkerSnapshot;
  readonly 'view.warming': (nothing: null) => WarmingView;
  readonly 'view.warm': (nothing: null) => void;
  /** Finish what runs, and end. */
  readonly 'worker.stop': (nothing: null) => void;
}
