import type { Config } from './config/config.js';
import type { EndpointRegistry } from './endpoint/registry.js';
import { createAnswerer, type AnswerCall, type OnAnswered } from './execution/answer-call.js';
import { createFetcher } from './execution/fetch-answer.js';
import { HitCounter } from './execution/hit-counts.js';
import type { Clock, RunQuery } from './execution/ports.js';
import type { Limiter } from './limits/limiter.js';
import type { Logger } from './log/logger.js';
import { Metrics, type CacheUse } from './metrics/metrics.js';
import { openCache } from './open-cache.js';
import type { OpenCache } from './shared-cache.js';
import { openAdmission, openLimiter, type Ping } from './open-admission.js';
import { startWarming } from './start-warming.js';
import { UsageLedger } from './warming/usage-ledger.js';
import type { Warmer } from './warming/warmer.js';
import type { PrimaryLink } from './workers/primary-link.js';

const always: Ping = () => Promise.resolve(true);
/** Sets whose use is remembered, for each that may be warmed. */
const REMEMBERED_SETS_PER_WARMED = 4;

export interface ExecutionSurroundings {
  readonly endpoints: EndpointRegistry;
  readonly runQuery: RunQuery;
  /** Absent where ClickHouse never stalls. */
  readonly ping?: Ping;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The way to the primary, in one of several workers. */
  readonly primary?: PrimaryLink | undefined;
}

/** All that answers questions, and what is counted of it. */
export interface Execution {
  readonly answerCall: AnswerCall;
  readonly onAnswered: OnAnswered;
  readonly cache: OpenCache;
  readonly warmer: Warmer;
  readonly metrics: Metrics;
  readonly hits: HitCounter;
  readonly limiter: Limiter;
}

/** Wires cache, sharing and warming around the way to ClickHouse. */
export async function openExecution(
  config: Config,
  { endpoints, runQuery, ping = always, logger, clock, primary }: ExecutionSurroundings,
  onClose: (close: () => Promise<void> | void) => void,
): Promise<Execution> {
  const metrics = new Metrics();
  const hits = new HitCounter();
  const ledger = new UsageLedger(REMEMBERED_SETS_PER_WARMED * Math.max(1, config.warming.maxSets));
  const cache = await openCache(config, {
    endpoints,
    ledger,
    logger,
    clock,
    primary,
    onEvicted: () => {
      metrics.answerEvicted();
    },
    onFarHit: ({ endpointId }) => {
      hits.countFar(endpointId);
    },
  });
  onClose(cache.close);
  const { queue, watch, admit } = openAdmission(config, ping, { logger, clock });
  const limiter = openLimiter(cache.limits);
  const fetchAnswer = createFetcher({
    runQuery: admit(runQuery),
    store: cache.store,
    shareAcross: cache.shareAcross,
    clock,
    onJoined: (where) => {
      metrics.waiterCoalesced(where);
    },
  });
  const onAnswered: OnAnswered = (question, key, { answer, status }) => {
    // What callers make up themselves is not warmed at the cost of all.
    if (!question.sandbox) ledger.asked(key, question, clock().getTime(), answer.bornAt);
    hits.count(key.endpointId, status);
  };
  const warming = startWarming(config, {
    endpoints,
    cache,
    ledger,
    fetchAnswer,
    isBusy: () => queue.figures.waitingInteractive > 0,
    logger,
    clock,
    onRefreshed: ({ name }, outcome, ms) => {
      metrics.refreshed(name, outcome, ms);
    },
  });
  onClose(warming.stop);
  metrics.observe({
    cacheUse: () => cacheUse(endpoints, cache),
    isRedisOpen: cache.isRedisOpen,
    isLeader: cache.isLeader,
    queries: () => queue.figures,
    watch: () => watch.figures,
  });
  const answerCall = createAnswerer({ store: cache.store, fetchAnswer, clock, onAnswered });
  return { answerCall, onAnswered, cache, warmer: warming.warmer, metrics, hits, limiter };
}

function cacheUse(endpoints: EndpointRegistry, { memory }: OpenCache): readonly CacheUse[] {
  const use = memory.use();
  return endpoints
    .all()
    .map(({ id, name }) => ({ endpoint: name, ...(use.get(id) ?? { entries: 0, bytes: 0 }) }));
}
