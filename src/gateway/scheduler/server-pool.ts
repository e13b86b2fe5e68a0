import { Failure, type ErrorCode } from '../errors.js';
import type { SlotRequest, Clock, RunQuery } from '../query/ports.js';
import { clickHouseUnreachable, type ServerBreaker, type ServerBreakerFigures } from './server-breaker.js';

/** One of several servers. Each can run any query. */
export interface PooledServer {
  /** Host and port, which name the server in the log and in metrics. */
  readonly name: string;
  readonly runQuery: RunQuery;
  readonly breaker: Pick<
    ServerBreaker,
    'isOpen' | 'waitMs' | 'running' | 'figures' | 'tryAgain' | 'run' | 'noteResponse'
  >;
}

export interface ServerFigures {
  readonly name: string;
  readonly running: number;
  readonly isEjected: boolean;
  /** Queries that were retried on another server, because this one did not respond. */
  readonly retried: number;
}

/** Current state and running queries, and counts since the start. */
export interface PoolFigures extends Omit<ServerBreakerFigures, 'running'> {
  /** Queries that were rejected because every server was ejected. */
  readonly rejected: number;
  readonly servers: readonly ServerFigures[];
}

interface Member<S> {
  readonly server: S;
  retried: number;
}

/**
 * A pool of servers. A query goes to the server with the fewest running queries among those that are not ejected (whose breaker is closed).
 * If that server does not start to respond, the query is retried once on another one.
 *
 * An ejected server is pinged only when a query arrives. No query waits for that ping while another server is available.
 */
export class ServerPool<S extends PooledServer = PooledServer> {
  private readonly members: readonly Member<S>[];
  private rejected = 0;
  /** Index at which the next search starts, for round robin over servers with equally many queries. */
  private nextIndex = 0;

  /** @param servers at least one. */
  constructor(
    servers: readonly S[],
    private readonly clock: Clock,
  ) {
    this.members = servers.map((server) => ({ server, retried: 0 }));
  }

  get figures(): PoolFigures {
    const breakers = this.members.map(({ server }) => server.breaker.figures);
    const sum = (of: (figures: (typeof breakers)[number]) => number): number =>
      breakers.reduce((total, figures) => total + of(figures), 0);
    return {
      state: this.isUnavailable ? 'open' : 'closed',
      rejected: this.rejected,
      cancelled: sum(({ cancelled }) => cancelled),
      opened: {
        unreachable: sum(({ opened }) => opened.unreachable),
        stalled: sum(({ opened }) => opened.stalled),
      },
      servers: this.members.map(({ server: { name, breaker }, retried }) => ({
        name,
        running: breaker.running,
        isEjected: breaker.isOpen,
        retried,
      })),
    };
  }

  /** Whether every server is ejected. */
  get isUnavailable(): boolean {
    return this.members.every(({ server }) => server.breaker.isOpen);
  }

  /**
   * Rejects while every server is ejected, so that no query enters the queue. Pings ejected servers whose pause has ended.
   *
   * @throws Failure CLICKHOUSE_UNREACHABLE
   */
  async requireServer(): Promise<void> {
    const ejected = this.members.filter(({ server }) => server.breaker.isOpen);
    if (ejected.length === 0) return;
    const trials = ejected.map(({ server }) => server.breaker.tryAgain());
    if (trials.length === this.members.length && !(await anyTrue(trials))) throw this.rejection();
  }

  /**
   * Runs work on a server.
   *
   * @throws Failure of the server, or of the second one after a retry; CLICKHOUSE_UNREACHABLE if all are ejected.
   */
  async run<R extends SlotRequest, T>(request: R, work: (server: S, attempt: R) => Promise<T>): Promise<T> {
    const runOn = ({ server }: Member<S>, attempt: R): Promise<T> =>
      server.breaker.run(attempt, (guarded) => work(server, guarded));
    // Every server may have been ejected while the work waited for a slot.
    const first = this.pick();
    if (!first) throw this.rejection();
    const startedAt = this.now();
    const response = { hasStarted: false };
    const onResponse = (): void => {
      response.hasStarted = true;
      request.onResponse?.();
    };
    try {
      return await runOn(first, { ...request, onResponse });
    } catch (error) {
      const isUnsent = isFailure(error, 'CLICKHOUSE_UNREACHABLE') && !response.hasStarted;
      const mayRetry = (isUnsent || isFailure(error, 'CLICKHOUSE_UNAVAILABLE')) && !request.signal.aborted;
      const second = mayRetry ? this.pick(first) : undefined;
      if (!second) throw error;
      first.retried += 1;
      return await runOn(second, { ...request, spentMs: this.now() - startedAt });
    }
  }

  private pick(except?: Member<S>): Member<S> | undefined {
    const { members } = this;
    let best: number | undefined;
    for (let step = 0; step < members.length; step += 1) {
      const index = (this.nextIndex + step) % members.length;
      const member = members[index];
      if (!member || member === except || member.server.breaker.isOpen) continue;
      const least = best === undefined ? Infinity : (members[best]?.server.breaker.running ?? Infinity);
      if (member.server.breaker.running < least) best = index;
    }
    if (best === undefined) return undefined;
    this.nextIndex = best + 1;
    return members[best];
  }

  private rejection(): Failure {
    this.rejected += 1;
    const waitMs = Math.min(...this.members.map(({ server }) => server.breaker.waitMs));
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    return clickHouseUnreachable('every server is ejected: the circuit breaker is open', seconds);
  }

  private now(): number {
    return this.clock().getTime();
  }
}

const isFailure = (error: unknown, code: ErrorCode): boolean =>
  error instanceof Failure && error.code === code;

/** Resolves to true as soon as one check is true, and to false if none is. A rejection counts as false. */
export function anyTrue(checks: readonly Promise<boolean>[]): Promise<boolean> {
  const successes = checks.map(async (check) => {
    if (!(await check)) throw new Error('false');
    return true;
  });
  return Promise.any(successes).catch(() => false);
}
