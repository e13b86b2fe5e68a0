import type { FlightOutcome } from './protocol.js';

/** One who misses, and how to tell it that its wait is over. */
export interface Ticket<Member> {
  /** Of this caller alone. */
  readonly token: string;
  /** The worker in which the caller is. */
  readonly member: Member;
  readonly tell: (outcome: FlightOutcome) => void;
}

interface Waiting<Member> extends Ticket<Member> {
  /** Token of the one that asked when this one came. */
  readonly behind: string;
}

interface Flight<Member> {
  asking: Ticket<Member>;
  readonly waiting: Waiting<Member>[];
}

/** Questions that are being asked for all workers: of those who miss the same one, one asks and the others wait. */
export class QuestionFlights<Member> {
  private readonly flights = new Map<string, Flight<Member>>();

  /** Takes part in a question; whether this one is to ask it. */
  enter(hash: string, ticket: Ticket<Member>): boolean {
    const flight = this.flights.get(hash);
    if (flight) {
      flight.waiting.push({ ...ticket, behind: flight.asking.token });
      return false;
    }
    this.flights.set(hash, { asking: ticket, waiting: [] });
    return true;
  }

  /** Tells those who wait how the question ended; where the one who says so does not ask it (any more), nothing happens. */
  land(hash: string, token: string, outcome: Exclude<FlightOutcome, { ask: true }>): void {
    const flight = this.flights.get(hash);
    if (flight?.asking.token !== token) return;
    this.flights.delete(hash);
    for (const { tell } of flight.waiting) tell(outcome);
  }

  /**
   * One has waited for as long as a question lasts: it asks in the place of the one that it came behind, whose worker must
   * hang. False where that one does not ask any more.
   */
  overtake(hash: string, token: string): boolean {
    const flight = this.flights.get(hash);
    const overdue = flight?.waiting.find((ticket) => ticket.token === token);
    if (!flight || overdue?.behind !== flight.asking.token) return false;
    flight.waiting.splice(flight.waiting.indexOf(overdue), 1);
    flight.asking = overdue;
    return true;
  }

  /** One has gone: the next of those who wait asks in its place. */
  leave(hash: string, token: string): void {
    const flight = this.flights.get(hash);
    if (flight) this.remove(hash, flight, (ticket) => ticket.token === token);
  }

  /** A worker has gone, with all its callers. */
  leaveAll(member: Member): void {
    for (const [hash, flight] of this.flights)
      this.remove(hash, flight, (ticket) => ticket.member === member);
  }

  private remove(hash: string, flight: Flight<Member>, isGone: (ticket: Ticket<Member>) => boolean): void {
    const left = flight.waiting.filter((ticket) => !isGone(ticket));
    flight.waiting.splice(0, Infinity, ...left);
    if (!isGone(flight.asking)) return;
    const next = flight.waiting.shift();
    if (!next) {
      this.flights.delete(hash);
      return;
    }
    flight.asking = next;
    next.tell({ ask: true });
  }
}
