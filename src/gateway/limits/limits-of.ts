import { createHash } from 'node:crypto';

import { Figures } from '../../endpoint/figures.js';
import { COUNTED, type Counted, type Quota } from '../../endpoint/limit-rules.js';
import type { WindowCount } from './fixed-windows.js';
import type { LimitState, Subject } from './limit-state.js';

/** A limit over a window. */
export interface WindowLimit extends Quota {
  readonly subject: Subject;
  readonly counted: Counted;
  /** The name of its counter. */
  readonly name: string;
}

/** Longest name in a counter; a longer one, from a token, is replaced by its digest. */
const MAX_NAME_LENGTH = 128;

/** The units that measure a query's cost; requests count calls. */
export const COSTS = COUNTED.filter((counted) => counted !== 'requests');

/** Computed once per subject, because every cache hit needs the limit on requests. */
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
