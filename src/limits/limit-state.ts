import { Failure } from '../errors.js';
import type { Counted, LimitRules } from './limit-rules.js';

/** Whom limits are about: a caller, by the name of its key or token, or an endpoint, whoever asks it. */
export interface Subject {
  readonly kind: 'key' | 'endpoint';
  /** Unique within its kind. */
  readonly name: string;
  readonly rules: LimitRules;
  /** Whether callers with SQL of their own can use it up: what is left of its limits on cost must then not be shown. */
  readonly isSandboxed?: boolean;
}

/** How a limit stands. */
export interface LimitState {
  readonly subject: Subject;
  readonly counted: Counted | 'concurrent';
  readonly quota: number;
  /** Units left, never below 0. */
  readonly remaining: number;
  /** Seconds; absent for what is not counted over time. */
  readonly window?: number;
  /** Whole seconds, at least 1, until the window is over and the quota whole again. */
  readonly resetSeconds?: number;
}

/** Seconds after which one that has too many queries running may come back. */
const CONCURRENT_RETRY_SECONDS = 1;

const UNITS: Readonly<Record<LimitState['counted'], string>> = {
  requests: 'requests',
  rowsRead: 'rows read',
  bytesRead: 'bytes read',
  clickhouseMs: 'milliseconds of ClickHouse',
  concurrent: 'queries at a time',
};

/** A request that one of its limits refuses. It is about this caller alone: who shares its question has other limits. */
export class LimitExceeded extends Failure {
  /**
   * @param exceeded the limit that refuses.
   * @param states all limits that were looked at, the exceeded one too.
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
  const whose = subject.kind === 'key' ? 'this key' : `the endpoint ${subject.name}`;
  const over = window === undefined ? '' : ` in ${seconds(window)}`;
  return `The limit of ${whose}, ${quota} ${UNITS[counted]}${over}, is reached. Try again in ${seconds(retryAfterSeconds)}.`;
}

const seconds = (count: number): string => `${count} second${count === 1 ? '' : 's'}`;
