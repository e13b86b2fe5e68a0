import { CircuitBreaker, type BreakerState } from '../cache/circuit-breaker.js';
import type { Clock } from '../execution/ports.js';
import type { Channel } from './channel.js';
import { Peer, type Handlers } from './peer.js';
import type { FlightOutcome, PrimaryCalls, WorkerCalls } from './protocol.js';

/** The primary does next to nothing; one that is silent for longer is stopped, or the machine is. */
const ANSWER_MS = 1000;
const FAILURES_TO_OPEN = 3;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5000;

/** What the primary tells a worker, beside the ends of its waits. */
export type WorkerHandlers = Omit<Handlers<WorkerCalls>, 'flights.over'>;

export interface PrimaryLinkOptions {
  readonly clock: Clock;
  /** Told when the primary does not answer, and when it does again. */
  readonly onChange: (state: BreakerState) => void;
  readonly onFault: (error: unknown) => void;
  /** Milliseconds to wait for an answer. */
  readonly answerMs?: number;
}

/** A worker's way to the primary. It never fails: what is not answered in time is undefined, and the worker goes on alone. */
export class PrimaryLink {
  /** Milliseconds that the primary has for an answer. */
  readonly answerMs: number;
  private readonly peer: Peer<WorkerCalls, PrimaryCalls>;
  private readonly breaker: CircuitBreaker;
  private readonly waits = new Map<string, (outcome: FlightOutcome) => void>();
  private readonly handlers: Partial<WorkerHandlers> = {};

  constructor(channel: Channel, { clock, onChange, onFault, answerMs = ANSWER_MS }: PrimaryLinkOptions) {
    this.answerMs = answerMs;
    this.breaker = new CircuitBreaker({
      failuresToOpen: FAILURES_TO_OPEN,
      firstPauseMs: FIRST_PAUSE_MS,
      maxPauseMs: MAX_PAUSE_MS,
      clock,
      onChange,
    });
    this.peer = new Peer<WorkerCalls, PrimaryCalls>(channel, this.dispatch(), onFault);
  }

  /** Answers the primary; what nobody here answers yet is refused. */
  answer(handlers: Partial<WorkerHandlers>): void {
    Object.assign(this.handlers, handlers);
  }

  /** Asks; undefined where there is no answer in time. */
  ask<Method extends keyof PrimaryCalls>(
    method: Method,
    params: Parameters<PrimaryCalls[Method]>[0],
  ): Promise<ReturnType<PrimaryCalls[Method]> | undefined> {
    return this.breaker.run(async () => this.askFor(method, params, this.answerMs));
  }

  /**
   * Asks what may take a while.
   *
   * @throws Error where there is no answer in time.
   */
  async askFor<Method extends keyof PrimaryCalls>(
    method: Method,
    params: Parameters<PrimaryCalls[Method]>[0],
    timeoutMs: number,
  ): Promise<ReturnType<PrimaryCalls[Method]>> {
    return (await this.peer.call(method, params as never, timeoutMs)) as ReturnType<PrimaryCalls[Method]>;
  }

  tell<Method extends keyof PrimaryCalls>(method: Method, params: Parameters<PrimaryCalls[Method]>[0]): void {
    this.peer.tell(method, params as never);
  }

  /** From now on `onOver` is told, at once, how the wait of a token ends. Gives what stops that. */
  expect(token: string, onOver: (outcome: FlightOutcome) => void): () => void {
    this.waits.set(token, onOver);
    return () => void this.waits.delete(token);
  }

  private dispatch(): Handlers<WorkerCalls> {
    const refuse = (): never => {
      throw new Error('the worker is not that far');
    };
    const { handlers } = this;
    return {
      'answers.replaced': (stored) => handlers['answers.replaced']?.(stored),
      'answers.purged': (scope) => handlers['answers.purged']?.(scope),
      'flights.over': ({ token, outcome }) => {
        this.waits.get(token)?.(outcome);
      },
      'limits.recall': (held) => handlers['limits.recall']?.(held) ?? 0,
      'view.snapshot': (nothing) => (handlers['view.snapshot'] ?? refuse)(nothing),
      'view.warming': (nothing) => (handlers['view.warming'] ?? refuse)(nothing),
      'view.warm': (nothing) => handlers['view.warm']?.(nothing),
      'worker.stop': (nothing) => handlers['worker.stop']?.(nothing),
    };
  }
}
