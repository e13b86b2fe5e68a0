import { Failure } from '../errors.js';
import type { SlotRequest, Clock, QueryRequest, RunQuery } from '../query/ports.js';
import {
  clickHouseUnreachable,
  type ServerBreaker,
  type OpenReason,
  type ServerBreakerState,
} from './server-breaker.js';

/** One of several servers that all can answer any query. */
export interface PooledServer {
  /** Host and port: what it is called in the log and in metrics. */
  readonly name: string;
  readonly runQuery: RunQuery;
  readonly breaker: Pick<ServerBreaker, 'isOpen' | 'running' | 'figures' | 'tryAgain' | 'guard'>;
}

export interface ServerFigures {
  readonly name: string;
  readonly running: number;
  readonly isEjected: boolean;
  /** Queries that it did not answer, and that were asked of another server. */
  readonly retried: number;
}

/** What it has seen since the start, and what runs now. */
export interface PoolFigures {
  /** Open where every server is set aside. */
  readonly state: ServerBreakerState;
  /** Queries that were refused because every server was set aside. */
  readonly rejected: number;
  /** Running queries that were ended because their server stalled. */
  readonly cut: number;
  readonly opened: Readonly<Record<OpenReason, number>>;
  readonly servers: readonly ServerFigures[];
}

interface Member<S> {
  readonly server: S;
  retried: number;
}

/**
 * Several servers as one: a query goes to the one that runs the fewest, of those whose breaker is not open, and is asked
 * once more of another where its server did not begin to answer.
 *
 * A server that is set aside is pinged only when somebody asks something, and nobody waits for that while another serves.
 */
export class ServerPool<S extends PooledServer = PooledServer> {
  private readonly members: readonly Member<S>[];
  private rejected = 0;
  /** Where the next search begins, so that servers with equally much to do take turns. */
  private turn = 0;

  /** @param servers one at least. */
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
      cut: sum(({ cut }) => cut),
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

  /** Whether every server is set aside. */
  get isUnavailable(): boolean {
    return this.members.every(({ server }) => server.breaker.isOpen);
  }

  /**
   * Refuses while every server is set aside, before the query takes anybody's place.
   *
   * @throws Failure CLICKHOUSE_UNREACHABLE
   */
  gate<R extends SlotRequest, T>(run: (request: R) => Promise<T>): (request: R) => Promise<T> {
    return async (request) => {
      if (!(await this.hasServer())) throw this.rejection();
      request.signal.throwIfAborted();
      return run(request);
    };
  }

  /** Runs a query on a server. @throws Failure as {@link on} does. */
  readonly run: RunQuery = (request) =>
    this.on(({ runQuery }, attempt: QueryRequest) => runQuery(attempt))(request);

  /**
   * Runs work on a server.
   *
   * @throws Failure of that server, or of the second one where it was asked of two; CLICKHOUSE_UNREACHABLE where all are
   *   set aside.
   */
  on<R extends SlotRequest, T>(work: (server: S, request: R) => Promise<T>): (request: R) => Promise<T> {
    const runOn = ({ server }: Member<S>, request: R): Promise<T> =>
      server.breaker.guard((attempt: R) => work(server, attempt))(request);
    return async (request) => {
      // All may have been set aside while the work waited for its slot.
      const first = this.pick();
      if (!first) throw this.rejection();
      const startedAt = this.now();
      const answer = { hasBegun: false };
      const onResponse = (): void => {
        answer.hasBegun = true;
        request.onResponse?.();
      };
      try {
        return await runOn(first, { ...request, onResponse });
      } catch (error) {
        const second = !answer.hasBegun && gotNoResponse(error, request) ? this.pick(first) : undefined;
        if (!second) throw error;
        first.retried += 1;
        return await runOn(second, { ...request, spentMs: this.now() - startedAt });
      }
    };
  }

  /** Whether there is a server to ask; those that are set aside are tried again, where it is time. */
  private async hasServer(): Promise<boolean> {
    const trials = this.members
      .map(({ server: { breaker } }) => breaker)
      .filter(({ isOpen }) => isOpen)
      .map((breaker) => breaker.tryAgain());
    if (trials.length < this.members.length) return true;
    return anyTrue(trials);
  }

  private pick(except?: Member<S>): Member<S> | undefined {
    const { members } = this;
    let best: number | undefined;
    for (let step = 0; step < members.length; step += 1) {
      const index = (this.turn + step) % members.length;
      const member = members[index];
      if (!member || member === except || member.server.breaker.isOpen) continue;
      const least = best === undefined ? Infinity : (members[best]?.server.breaker.running ?? Infinity);
      if (member.server.breaker.running < least) best = index;
    }
    if (best === undefined) return undefined;
    this.turn = best + 1;
    return members[best];
  }

  private rejection(): Failure {
    this.rejected += 1;
    return clickHouseUnreachable('every server is set aside: the circuit breaker is open');
  }

  private now(): number {
    return this.clock().getTime();
  }
}

/** Whether no server has said anything of the query, and somebody still waits for it. */
function gotNoResponse(error: unknown, { signal }: SlotRequest): boolean {
  return error instanceof Failure && error.code === 'CLICKHOUSE_UNREACHABLE' && !signal.aborted;
}

/** The first that is true decides; otherwise all are waited for. */
function anyTrue(answers: readonly Promise<boolean>[]): Promise<boolean> {
  const yes = answers.map(async (answer) => {
    if (!(await answer)) throw new Error('no');
    return true;
  });
  return Promise.any(yes).catch(() => false);
}
