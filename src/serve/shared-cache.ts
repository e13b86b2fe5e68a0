import type { MemoryStore } from '../cache/memory-store.js';
import type { Config } from '../config/config.js';
import type { EndpointRegistry } from '../endpoint/registry.js';
import type { Answer } from '../execution/answer.js';
import type { AnswerStore, PurgeScope } from '../execution/answer-store.js';
import type { CacheKey } from '../execution/cache-key.js';
import { keepUntil } from '../execution/call.js';
import type { ShareAcross } from '../execution/fetch-answer.js';
import type { Clock } from '../execution/ports.js';
import type { SharedLimits } from '../limits/shared-limits.js';
import type { Logger } from '../log/logger.js';
import type { UsageLedger, UsedSet } from '../warming/usage-ledger.js';
import type { PrimaryLink } from '../workers/primary-link.js';

const PERMIT_SLACK_MS = 5000;

/** The cache, and what gateways do together through it. */
export interface OpenCache {
  readonly memory: MemoryStore;
  readonly store: AnswerStore;
  readonly shareAcross: ShareAcross;
  /** Drops answers here and on every other gateway. */
  readonly purge: (scope: PurgeScope) => Promise<void>;
  readonly usage: SharedUsage;
  /** Where gateways count limits together; undefined where each counts for itself. */
  readonly limits: SharedLimits | undefined;
  readonly isLeader: () => boolean;
  readonly hasRedis: boolean;
  readonly isRedisOpen: () => boolean;
  readonly close: () => Promise<void>;
  /** To be called every second or so: tells the others what was asked here, and keeps or takes the lease. */
  readonly keepInTouch: () => Promise<void>;
}

/** What is asked for, here and elsewhere. */
export interface SharedUsage {
  readonly sets: (endpointId: string) => Promise<readonly UsedSet[]>;
  readonly forget: (key: CacheKey) => void;
}

export interface CacheSurroundings {
  readonly endpoints: EndpointRegistry;
  readonly ledger: UsageLedger;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onEvicted: () => void;
  /** Told of each answer that Redis had and the process had not. */
  readonly onFarHit: (key: CacheKey) => void;
  /** The way to the primary, in one of several workers. */
  readonly primary?: PrimaryLink | undefined;
}

/** Until when an answer that was found far is of use; milliseconds since 1970. */
export function keepUntilOf(endpoints: EndpointRegistry): (key: CacheKey, answer: Answer) => number {
  return (key, answer) => {
    const endpoint = endpoints.find(key.endpointId);
    return endpoint ? keepUntil(answer, endpoint) : answer.expiresAt;
  };
}

/** Longer than any query lasts, its wait included. */
export function permitMsOf({ queryTimeoutMs, admission }: Config): number {
  return queryTimeoutMs + admission.maxWaitMs + PERMIT_SLACK_MS;
}
