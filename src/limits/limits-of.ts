import { createHash } from 'node:crypto';

import type { WindowCount } from './fixed-windows.js';
import { COUNTED, type Counted, type Quota } from './limit-rules.js';
import type { LimitState, Subject } from './limit-state.js';

/** One limit over a window. */
export interface WindowLimit extends Quota {
  readonly subject: Subject;
  readonly counted: Counted;
  /** What it is counted under. */
  readonly name: string;
}

/** A name from a token can be of any length; a longer one is counted by its digest. */
const MAX_NAME_LENGTH = 128;

/** What a query costs, as against that it is asked at all. */
export const COSTS = COUNTED.filter((counted) => counted !== 'requests');

/** Every cached answer is a request: its limits are worked out once for each subject, not each time. */
const ofRequests = new WeakMap<Subject, WindowLimit>();

export function requestLimits(subjects: readonly Subject[]): readonly WindowLimit[] {
  const limits: WindowLimit[] = [];
  for (const subject of subjects) {
    if (!subject.rules.requests) continue;
    const limit = ofRequests.get(subject) ?? limitOf(subject, 'requests');
    if (!limit) continue;
    ofRequests.set(subject, limit);
    limits.push(limit);
  }
  return limits;
}

export function costLimits(subjects: readonly Subject[]): readonly WindowLimit[] {
  return subjects.flatMap((subject) => COSTS.flatMap((counted) => limitOf(subject, counted) ?? []));
}

/** The window's length is part of the name: after a change of the rules a window of the old length is no measure. */
function limitOf(subject: Subject, counted: Counted): WindowLimit | undefined {
  const quota = subject.rules[counted];
  if (!quota) return undefined;
  return { ...quota, subject, counted, name: `${nameOf(subject)}:${counted}:${quota.window}` };
}

/** What a subject is counted under, in the process and between gateways. */
export function nameOf({ kind, name }: Subject): string {
  if (name.length <= MAX_NAME_LENGTH) return `${kind}:${name}`;
  return `${kind}:sha256-${createHash('sha256').update(name).digest('hex')}`;
}

/** @param now on the clock that the window goes by. */
export function stateOf(
  { subject, counted, quota, window }: WindowLimit,
  { count, endsAt }: WindowCount,
  now: number,
): LimitState {
  const remaining = Math.min(quota, Math.max(0, quota - count));
  const resetSeconds = Math.max(1, Math.ceil((endsAt - now) / 1000));
  return { subject, counted, quota, window, remaining, resetSeconds };
}
