import type { Clock } from '../query/ports.js';
import type { QueryData } from './query-data.js';
import type { TablesVersion } from './read-version.js';

/** A version, and the time when it was read. */
export interface KnownVersion {
  readonly tables: TablesVersion;
  /** Start of the read, in milliseconds since 1970. */
  readonly readAt: number;
}

/** Store through which gateways share versions. It never fails: a missing version is read again. */
export interface SharedVersions {
  readonly get: (tables: string) => Promise<KnownVersion | undefined>;
  readonly set: (tables: string, known: KnownVersion, lifetimeMs: number) => Promise<void>;
}

export interface TableVersionsDependencies {
  /** Reads the version from ClickHouse. @throws Error where ClickHouse does not return it */
  readonly read: (data: QueryData) => Promise<TablesVersion>;
  readonly shared: SharedVersions | undefined;
  readonly clock: Clock;
  /** Monotonic time in milliseconds, which changes of the system clock do not affect. */
  readonly steadyClock: () => number;
  /** Called for each read of a version. */
  readonly onRead: () => void;
}

/** Which version of some tables is recent enough. */
export interface Wanted {
  /** Maximum time since the read began, in milliseconds. */
  readonly maxAgeMs: number;
  /** Steady time. This process must have begun the read at that time or later. Undefined where any read counts. */
  readonly notBefore?: number | undefined;
}

/** Start of the read of a version. */
interface Began extends Pick<KnownVersion, 'readAt'> {
  /** Start by the steady clock. Absent where another gateway read the version. */
  readonly beganAt?: number;
}

type Read = KnownVersion & Began;

interface State {
  last: Read | undefined;
  running: (Began & { readonly read: Promise<Read> }) | undefined;
  /** Steady time of the last failed read. */
  failedAt: number;
  isMoving: boolean;
}

/** Time after a failed read before the next one may start, in milliseconds. */
const RETRY_MS = 1000;

/** Maximum number of table sets in memory. The oldest is removed first. */
const MAX_STATES = 1000;

/** Caches the versions of tables. One read serves all queries of the same tables, for as long as their results may be late. */
export class TableVersions {
  private readonly states = new Map<string, State>();

  constructor(private readonly dependencies: TableVersionsDependencies) {}

  /** Whether the tables keep changing: a query found another version than the read before, and no later read confirmed a version. */
  isMoving(data: QueryData): boolean {
    return this.states.get(keyOf(data))?.isMoving ?? false;
  }

  /** Notes that the tables changed between the read of their version and the end of a query. */
  noteChange(data: QueryData): void {
    this.stateOf(data).isMoving = true;
  }

  /** Gets a version that is recent enough. @throws Error where ClickHouse does not return it */
  async get(data: QueryData, wanted: Wanted): Promise<KnownVersion> {
    const state = this.stateOf(data);
    if (state.last && this.isRecent(state.last, wanted)) return state.last;
    if (wanted.notBefore === undefined) {
      const shared = await this.dependencies.shared?.get(keyOf(data));
      if (shared && this.isRecent(shared, wanted)) return this.note(state, shared);
    }
    const { running } = state;
    if (running && this.isRecent(running, wanted)) return running.read;
    // Without a pause, each caller would wait for a ClickHouse that does not respond.
    if (this.dependencies.steadyClock() - state.failedAt < RETRY_MS) throw new Error('the last read failed');
    return this.start(data, state, wanted.maxAgeMs);
  }

  private start(data: QueryData, state: State, lifetimeMs: number): Promise<Read> {
    const { clock, steadyClock, read, shared, onRead } = this.dependencies;
    const beganAt = steadyClock();
    const readAt = clock().getTime();
    onRead();
    const started = read(data).then((tables) => {
      const known = { tables, readAt };
      void shared?.set(keyOf(data), known, lifetimeMs);
      return this.note(state, { ...known, beganAt });
    });
    state.running = { beganAt, readAt, read: started };
    const forget = (): void => {
      if (state.running?.read === started) state.running = undefined;
    };
    started.then(forget, () => {
      forget();
      state.failedAt = steadyClock();
    });
    return started;
  }

  private note(state: State, read: Read): Read {
    const { last } = state;
    if (last?.tables.version === read.tables.version) state.isMoving = false;
    // Two reads can run at the same time. The one that began later wins.
    if (!last || (last.beganAt ?? -Infinity) <= (read.beganAt ?? Infinity)) state.last = read;
    return read;
  }

  private isRecent({ readAt, beganAt }: Began, { maxAgeMs, notBefore }: Wanted): boolean {
    const { clock, steadyClock } = this.dependencies;
    if (notBefore !== undefined && (beganAt === undefined || beganAt < notBefore)) return false;
    const ageMs = clock().getTime() - readAt;
    // A result's age comes from the clock, so a version from the future would stay fresh for too long.
    return ageMs >= 0 && ageMs < maxAgeMs && (beganAt === undefined || steadyClock() - beganAt < maxAgeMs);
  }

  private stateOf(data: QueryData): State {
    const key = keyOf(data);
    const known = this.states.get(key);
    if (known) return known;
    const [oldest] = this.states.keys();
    if (this.states.size >= MAX_STATES && oldest !== undefined) this.states.delete(oldest);
    const state: State = { last: undefined, running: undefined, failedAt: -Infinity, isMoving: false };
    this.states.set(key, state);
    return state;
  }
}

/** Key of the objects and varying columns that a version covers. */
const keyOf = ({ objects, computed }: QueryData): string => JSON.stringify([objects, ...computed]);
