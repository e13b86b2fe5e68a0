import type { Clock } from '../query/ports.js';
import type { QueryData } from './query-data.js';
import type { TablesVersion } from './read-version.js';

/** A version, and when it was read. */
export interface KnownVersion {
  readonly tables: TablesVersion;
  /** When its read began; milliseconds since 1970. */
  readonly readAt: number;
}

/** Where gateways share the versions that they read. It never fails: what it does not have is read again. */
export interface SharedVersions {
  readonly get: (tables: string) => Promise<KnownVersion | undefined>;
  readonly set: (tables: string, known: KnownVersion, lifetimeMs: number) => Promise<void>;
}

export interface TableVersionsDependencies {
  /** @throws Error where ClickHouse does not tell it */
  readonly read: (data: QueryData) => Promise<TablesVersion>;
  readonly shared: SharedVersions | undefined;
  readonly clock: Clock;
  /** Milliseconds that no change of the clock moves. */
  readonly steadyClock: () => number;
  /** Called for each read of a version. */
  readonly onRead: () => void;
}

/** Which version of some tables is recent enough. */
export interface Wanted {
  /** Milliseconds since its read began, at most. */
  readonly maxAgeMs: number;
  /** A time of the steady clock after which this process must have begun to read it. */
  readonly notBefore?: number | undefined;
}

/** When the read of a version began. */
interface Began extends Pick<KnownVersion, 'readAt'> {
  /** By the steady clock; absent where another gateway read it. */
  readonly beganAt?: number;
}

type Read = KnownVersion & Began;

interface State {
  last: Read | undefined;
  running: (Began & { readonly read: Promise<Read> }) | undefined;
  /** By the steady clock: when the last read failed. */
  failedAt: number;
  isMoving: boolean;
}

/** Milliseconds after a failed read in which none is begun. */
const RETRY_MS = 1000;

/** How many sets of tables are remembered; the oldest is forgotten. */
const MAX_STATES = 1000;

/** The versions of tables: one read serves every query of the same tables for as long as their results may be late. */
export class TableVersions {
  private readonly states = new Map<string, State>();

  constructor(private readonly dependencies: TableVersionsDependencies) {}

  /** Whether a query found another version than the one before it, and each read since then too. */
  isMoving(data: QueryData): boolean {
    return this.states.get(keyOf(data))?.isMoving ?? false;
  }

  /** To be called when the tables changed between the read of their version and a query. */
  noteChange(data: QueryData): void {
    this.stateOf(data).isMoving = true;
  }

  /** @throws Error where ClickHouse does not tell it */
  async get(data: QueryData, wanted: Wanted): Promise<KnownVersion> {
    const state = this.stateOf(data);
    if (state.last && this.isRecent(state.last, wanted)) return state.last;
    if (wanted.notBefore === undefined) {
      const shared = await this.dependencies.shared?.get(keyOf(data));
      if (shared && this.isRecent(shared, wanted)) return this.note(state, shared);
    }
    const { running } = state;
    if (running && this.isRecent(running, wanted)) return running.read;
    // Each caller would wait for a ClickHouse that does not respond.
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
    // Two reads can run at the same time; the later one counts.
    if (!last || (last.beganAt ?? -Infinity) <= (read.beganAt ?? Infinity)) state.last = read;
    return read;
  }

  private isRecent({ readAt, beganAt }: Began, { maxAgeMs, notBefore }: Wanted): boolean {
    const { clock, steadyClock } = this.dependencies;
    if (notBefore !== undefined && (beganAt === undefined || beganAt < notBefore)) return false;
    const ageMs = clock().getTime() - readAt;
    // Its results are as old as the clock says: one of the future would be fresh for too long.
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

/** Of the tables, and of what is read of their parts. */
const keyOf = ({ objects, computed }: QueryData): string => JSON.stringify([objects, ...computed]);
