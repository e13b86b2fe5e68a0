import { createHash } from 'node:crypto';

import { COUNTED, type Counted, type LimitRules, type Quota } from '../../endpoint/limit-rules.js';
import { Figures, type Reader } from '../../endpoint/figures.js';
import { Failure } from '../errors.js';
import type { WindowCount } from './fixed-windows.js';

/** What a limit applies to: a caller, by the name of its key or token, or an endpoint, whoever calls it. */
export interface Subject {
  readonly kind: 'key' | 'endpoint';
  /** Unique within its kind. */
  readonly name: string;
  readonly rules: LimitRules;
  /** Whether callers can use the limits up with their own SQL. What is left of its cost limits must then stay hidden. */
  readonly isSandboxed?: boolean;
}

/** A limit, with what is left of its quota. */
export interface LimitState {
  readonly subject: Subject;
  readonly counted: Counted | 'concurrent';
  readonly quota: number;
  /** Units left, never below 0; figures for a cost limit, because not every caller may read them. */
  readonly remaining: number | Figures<number>;
  /** Seconds; absent for the concurrency limit. */
  readonly window?: number;
  /** Whole seconds, at least 1, until the window ends and the full quota is available again. */
  readonly resetSeconds?: number;
}

/** The units left of a limit; undefined where the reader may not read them. */
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

/** The failure of a request over one of its limits. Coalesced callers do not share it, because they have other limits. */
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

/** A limit over a window. */
export interface WindowLimit extends Quota {
  readonly subject: Subject;
  readonly counted: Counted;
  /** Name of the counter of the limit. */
  readonly name: string;
}

/** Characters of the longest name in a counter. A longer name, which only a token can have, is replaced by its digest. */
const MAX_NAME_LENGTH = 128;

/** The units that measure the cost of a query: all but requests, which count calls. */
const COSTS = COUNTED.filter((counted) => counted !== 'requests');

/** The limit on requests of a subject. It is computed once, because every cache hit needs it. */
const requestLimitBySubject = new WeakMap<Subject, WindowLimit>();

export function requestLimits(subjects: readonly Subject[]): readonly WindowLimit[] {
  const limits: WindowLimit[] = [];
  for (const subject of subjects) {
    if (!subject.rules.requests) continue;
    const limit = requestLimitBySubject.get(subject) ?? limitOf(subject, 'requests');
    if (!limit) continue;
    requestLimitBySubject.set(subject, limit);
    limits.push(limit);
  }
  return limits;
}

/** Whether a subject has a limit on the cost of queries. */
export const limitsCost = ({ rules }: Subject): boolean => COSTS.some((counted) => rules[counted]);

/** Whether a subject has a limit that each of its queries is checked against. */
export const limitsQueries = (subject: Subject): boolean =>
  subject.rules.concurrent !== undefined || limitsCost(subject);

export function costLimits(subjects: readonly Subject[]): readonly WindowLimit[] {
  return subjects.flatMap((subject) => COSTS.flatMap((counted) => limitOf(subject, counted) ?? []));
}

/** The counter's name contains the window's length: a changed length starts a new counter. */
function limitOf(subject: Subject, counted: Counted): WindowLimit | undefined {
  const quota = subject.rules[counted];
  if (!quota) return undefined;
  return { subject, counted, name: `${counterOf(subject)}:${counted}:${quota.window}`, ...quota };
}

/** The name of a subject's counters, in the process and in the shared store. */
export function counterOf({ kind, name }: Subject): string {
  if (name.length <= MAX_NAME_LENGTH) return `${kind}:${name}`;
  return `${kind}:sha256-${createHash('sha256').update(name).digest('hex')}`;
}

/** @param now milliseconds on the clock of the window. */
export function stateOf(
  { subject, counted, quota, window }: WindowLimit,
  { count, endsAt }: WindowCount,
  now: number,
): LimitState {
  const remaining = Math.min(quota, Math.max(0, quota - count));
  const resetSeconds = Math.max(1, Math.ceil((endsAt - now) / 1000));
  const left = counted === 'requests' ? remaining : new Figures(remaining);
  return { subject, counted, quota, window, resetSeconds, remaining: left };
}
