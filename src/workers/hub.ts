import { MemoryStore } from '../cache/memory-store.js';
import { PurgeGuard } from '../cache/purge-guard.js';
import { isFresh } from '../execution/answer.js';
import type { PurgeScope } from '../execution/answer-store.js';
import type { Clock } from '../execution/ports.js';
import { FixedWindows } from '../limits/fixed-windows.js';
import type { Channel } from './channel.js';
import { Allotments } from './allotments.js';
import { Lease } from './lease.js';
import { Peer, type Handlers } from './peer.js';
import { Permits } from './permits.js';
import type { FlightRole, FlightTicket, PrimaryCalls, StoredAnswer, WorkerCalls } from './protocol.js';
import { QuestionFlights } from './question-flights.js';
import { received } from './received.js';
import { Snapshots } from './snapshots.js';
import { UsageWordsBoard } from './usage-words.js';
import type { WorkerSnapshot } from './worker-snapshot.js';

/** A worker that does not answer for so long is gone on without. */
const WORKER_ANSWER_MS = 1000;
/** Less than a worker waits for the primary: a request waits for what another worker gives back. */
const RECALL_MS = 250;
/** Refreshing all that is in use takes as long as its queries do. */
const WARM_ALL_MS = 600_000;

export interface HubOptions {
  /** Bound on the answers that are kept for all workers. */
  readonly memoryBytes: number;
  readonly clock: Clock;
  /** Milliseconds, never going back. */
  readonly now: () => number;
  /** What the primary tells of itself. */
  readonly ownSnapshot: () => Promise<WorkerSnapshot>;
  readonly onFault: (error: unknown) => void;
}

/** What a worker tells of its own start. */
export type WorkerEvents = Pick<Handlers<PrimaryCalls>, 'worker.ready' | 'worker.failed'>;

/** A worker that takes part. */
export interface Member {
  readonly peer: Peer<PrimaryCalls, WorkerCalls>;
  /** It has gone; what it held is free. */
  readonly leave: () => void;
}

/**
 * Where workers meet, in the primary: what Redis is to several gateways. Workers ask it by messages; it never waits for
 * one of them but where it says so, and what a worker held is free as soon as it has gone.
 */
export class Hub {
  private readonly members = new Set<Member>();
  private readonly memory: MemoryStore;
  private readonly store: PurgeGuard;
  private readonly flights = new QuestionFlights<Member>();
  private readonly windows: FixedWindows;
  private readonly allotments: Allotments<Member>;
  private readonly permits: Permits<Member>;
  private readonly lease: Lease<Member>;
  private readonly usage = new UsageWordsBoard();
  private readonly snapshots = new Snapshots<Member>();

  constructor(private readonly options: HubOptions) {
    this.memory = new MemoryStore(options.memoryBytes, options.clock);
    this.store = new PurgeGuard(this.memory);
    this.windows = new FixedWindows(options.now);
    this.allotments = new Allotments(options.now, ({ peer }, held) =>
      peer.call('limits.recall', held, RECALL_MS),
    );
    this.permits = new Permits(options.now);
    this.lease = new Lease(options.now);
  }

  /** Lets a worker take part, from its start until it leaves. */
  join(channel: Channel, events: WorkerEvents): Member {
    const handlers: Handlers<PrimaryCalls> = {
      ...this.answerCalls(() => member),
      ...this.countCalls(() => member),
      ...this.viewCalls(() => member),
      ...events,
    };
    const peer = new Peer<PrimaryCalls, WorkerCalls>(channel, handlers, this.options.onFault);
    const member: Member = {
      peer,
      leave: () => {
        this.leave(member);
      },
    };
    this.members.add(member);
    return member;
  }

  private leave(member: Member): void {
    if (!this.members.delete(member)) return;
    member.peer.close();
    this.flights.leaveAll(member);
    this.allotments.leave(member);
    this.permits.giveAll(member);
    this.lease.leave(member);
    this.snapshots.leave(member);
  }

  private othersThan(member: Member): readonly Member[] {
    return [...this.members].filter((other) => other !== member);
  }

  private answerCalls(
    self: () => Member,
  ): Pick<
    Handlers<PrimaryCalls>,
    | 'answers.get'
    | 'answers.set'
    | 'answers.purge'
    | 'flights.enter'
    | 'flights.overtake'
    | 'flights.land'
    | 'flights.leave'
  > {
    return {
      'answers.get': (key) => this.store.get(key),
      'answers.set': (stored) => this.set(self(), stored),
      'answers.purge': (scope) => this.purge(self(), scope),
      'flights.enter': (ticket) => this.enter(self(), ticket),
      'flights.overtake': ({ key, token }) => this.flights.overtake(key.hash, token),
      'flights.land': ({ key, token, failure }) => {
        const answer = this.freshAnswer(key.hash);
        if (failure) this.flights.land(key.hash, token, { failure });
        else if (answer) this.flights.land(key.hash, token, { answer });
        // Purged since, or larger than all the room that there is: the next one asks for itself.
        else this.flights.leave(key.hash, token);
      },
      'flights.leave': ({ key, token }) => {
        this.flights.leave(key.hash, token);
      },
    };
  }

  private freshAnswer(hash: string): ReturnType<MemoryStore['peek']> {
    const answer = this.memory.peek(hash);
    return answer && isFresh(answer, this.options.clock().getTime()) ? answer : undefined;
  }

  private enter(member: Member, { key, token }: FlightTicket): FlightRole {
    const answer = this.freshAnswer(key.hash);
    if (answer) return { role: 'take', answer };
    const tell = member.peer.tell.bind(member.peer);
    const isAsking = this.flights.enter(key.hash, {
      token,
      member,
      tell: (outcome) => {
        tell('flights.over', { token, outcome });
      },
    });
    return { role: isAsking ? 'ask' : 'wait' };
  }

  private async set(member: Member, { key, answer: told, keepUntil }: StoredAnswer): Promise<void> {
    const answer = received(told);
    const before = this.memory.peek(key.hash);
    await this.store.set(key, answer, keepUntil);
    // Others may hold the one from before, and would answer with it for as long as it is fresh.
    if (!before || this.memory.peek(key.hash) !== answer) return;
    for (const { peer } of this.othersThan(member)) peer.tell('answers.replaced', { key, answer, keepUntil });
  }

  /** How many of the others are still there and have not said that it is done. */
  private async purge(member: Member, scope: PurgeScope): Promise<number> {
    await this.store.purge(scope);
    const others = this.othersThan(member);
    const asked = others.filter(({ peer }) => peer.hasSpoken);
    // One that just starts has no answer yet, and hears of this before it is given any.
    for (const { peer } of others) if (!peer.hasSpoken) peer.tell('answers.purged', scope);
    // One that is busy hears of it all the same, before anything that it is told later.
    const outcomes = await Promise.allSettled(
      asked.map(({ peer }) => peer.call('answers.purged', scope, WORKER_ANSWER_MS)),
    );
    const silent = asked.filter((_other, index) => outcomes[index]?.status === 'rejected');
    // What one kept that has gone meanwhile is gone with it.
    return silent.filter((other) => this.members.has(other)).length;
  }

  private countCalls(
    self: () => Member,
  ): Pick<
    Handlers<PrimaryCalls>,
    | 'limits.add'
    | 'limits.grant'
    | 'limits.giveBack'
    | 'limits.read'
    | 'limits.take'
    | 'limits.give'
    | 'lease.take'
    | 'lease.renew'
    | 'lease.release'
    | 'usage.write'
    | 'usage.read'
  > {
    const { windows, permits, lease, usage } = this;
    const msLeft = (endsAt: number): number => endsAt - this.options.now();
    return {
      'limits.add': ({ name, amount, windowSeconds }) => {
        const { count, endsAt } = windows.add(name, amount, windowSeconds);
        return { count, msLeft: msLeft(endsAt) };
      },
      'limits.grant': (asked) => this.allotments.grant(self(), asked),
      'limits.giveBack': (unused) => this.allotments.takeBack(unused),
      'limits.read': (name) => {
        const { count, endsAt } = windows.peek(name, 0);
        return count === 0 ? null : { count, msLeft: msLeft(endsAt) };
      },
      'limits.take': ({ permit, max, permitMs }) => permits.take(self(), permit, max, permitMs),
      'limits.give': (permit) => {
        permits.give(permit);
      },
      'lease.take': ({ token, leaseMs }) => lease.take(self(), token, leaseMs),
      'lease.renew': ({ token, leaseMs }) => lease.renew(token, leaseMs),
      'lease.release': (token) => {
        lease.release(token);
      },
      'usage.write': ({ words, keptMs }) => usage.write(words, keptMs),
      'usage.read': ({ endpointId, gateway }) =>
        usage.readOthers(endpointId, gateway, this.options.clock().getTime()),
    };
  }

  private viewCalls(
    self: () => Member,
  ): Pick<Handlers<PrimaryCalls>, 'view.note' | 'view.gather' | 'view.warming' | 'view.warm'> {
    return {
      'view.note': (snapshot) => {
        this.snapshots.note(self(), snapshot);
      },
      'view.gather': () => this.gather(),
      'view.warming': async () => {
        const views = await Promise.allSettled(
          [...this.members].map(({ peer }) => peer.call('view.warming', null, WORKER_ANSWER_MS)),
        );
        return views.flatMap((view) => (view.status === 'fulfilled' ? [view.value] : []));
      },
      'view.warm': async () => {
        await Promise.allSettled(
          [...this.members].map(({ peer }) => peer.call('view.warm', null, WARM_ALL_MS)),
        );
      },
    };
  }

  private async gather(): Promise<readonly WorkerSnapshot[]> {
    const asked = [...this.members].map(async (member) => {
      const snapshot = await member.peer.call('view.snapshot', null, WORKER_ANSWER_MS);
      if (this.members.has(member)) this.snapshots.note(member, snapshot);
    });
    // Of one that does not answer there is what it told last.
    await Promise.allSettled(asked);
    return [...this.snapshots.all(), await this.options.ownSnapshot()];
  }
}
