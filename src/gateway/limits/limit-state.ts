import type { Counted, LimitRules } from '../../endpoint/limit-rules.js';
import { Figures, type Reader } from '../../endpoint/figures.js';
import { Failure } from '../errors.js';

/** What a limit applies to: a caller, by the name of its key or token, or an endpoint, whoever calls it. */
export interface Subject {
  readonly kind: 'key' | 'endpoint';
  /** Unique within its kind. */
  readonly name: string;
  readonly rules: LimitRules;
  /** Whether callers can use it up with their own SQL; the remainder of its cost limits must then stay hidden. */
  readonly isSandboxed?: boolean;
}

/** The state of a limit. */
export interface LimitState {
  readonly subject: Subject;
  readonly counted: Counted | 'concurrent';
  readonly quota: number;
  /** Units left, never below 0; of a limit on cost, a figure. */
  readonly remaining: number | Figures<number>;
  /** Seconds; absent for the concurrency limit. */
  readonly window?: number;
  /** Whole seconds, at least 1, until the window ends and the full quota is available again. */
  readonly resetSeconds?: number;
}

/** The units left of a limit; undefined where the reader may not know them. */
export function unitsLeft({ remaining }: LimitState, reader: Reader): number | undefined {
  return remaining instanceof Figures ? remaining.readBy(reader) : remaining;
}

/** Suggested wait in seconds after too many concurrent queries. */
const CONCURRENT_RETRY_SECONDS = 1;

const UNITS: Readonly<Record<LimitState['counted'], string>> = {
  requests: 'requests',
  rowsRead: 'rows read',
  bytesRead: 'bytes read',
  clickhouseMs: 'milliseconds of ClickHouse',
  concurrent: 'concurrent queries',
};

/** A request over one of its limits. Applies to this caller alone: coalesced callers have other limits. */
export class LimitExceeded extends Failure {
  /**
   * @param exceeded the limit that rejects the request.
   * @param states all limits that were checked, including the exceeded one.
   */
  constructor(
    readonly exceeded: LimitState,
    readonly states: readonly LimitState[],
  ) {
    const retryAfterSeconds = exceeded.resetSeconds ?? CONCURRENT_RETRY_SECONDS;
    super('LIMIT_EXCEEDED', textOf(exceeded, retryAfterSeconds), {
      retryAfterSeconds,
      diagnosis: `${exceeded.subject.kind} ${exceeded.subject.name}: ${exceeded.counted}`,
    });
  }
}

function textOf({ subject, counted, quota, window }: LimitState, retryAfterSeconds: number): string {
  const owner = subject.kind === 'key' ? 'This key' : `The endpoint ${subject.name}`;
  const over = window === undefined ? '' : ` in ${seconds(window)}`;
  return `${owner} has reached its limit of ${quota} ${UNITS[counted]}${over}. Try again in ${seconds(retryAfterSeconds)}.`;
}

const seconds = (count: number): string => `${count} second${count === 1 ? '' : 's'}`;
