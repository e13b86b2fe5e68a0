import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { DataVersions } from '../data-versions.js';
import type { PartitionedData } from '../known-data.js';
import type { QueryResult, Requester, RunQuery } from '../ports.js';
import type { PurgeScope } from '../result-store.js';
import { areEqualRows } from './equal-rows.js';
import { conditionOf, isUnchanged, requestOver, type RangeCall, type Span } from './range.js';

/** Result of a verification. `changed`: the data changed, so that a comparison was impossible. */
export type Verification = 'equal' | 'different' | 'changed' | 'failed';

export interface VerifierDependencies {
  readonly runQuery: RunQuery;
  /** Purges cached results, also at other gateways. */
  readonly purge: (scope: PurgeScope) => Promise<unknown>;
  readonly dataVersions: DataVersions;
  /** Returns at least 0 and less than 1. */
  readonly random: () => number;
  /** Called with the result of each verification query. */
  readonly onQueried?: (endpoint: Endpoint, result: QueryResult) => void;
  readonly onVerified: (endpoint: Endpoint, outcome: Verification) => void;
}

/** Cached pieces of a composed result. */
export interface KeptPieces {
  readonly spans: readonly Span[];
  /** Body of a result with the rows of these pieces. */
  readonly body: Buffer;
}

/** One composed result out of this number is verified. */
const EVERY = 500;

/** Requester of verifications, which run after every caller's queries and without limits. */
const VERIFICATION: Requester = { lane: 'verification', priority: 'warming' };

/**
 * Compares the cached pieces of some composed results with one query over the same rows, one at a time, while no caller waits. Results of
 * an endpoint whose pieces differ are no longer composed.
 */
export class PieceVerifier {
  /** Digests of the endpoints whose pieces differed. */
  private readonly wrong = new Set<string>();
  private running: Promise<void> | undefined;

  constructor(private readonly dependencies: VerifierDependencies) {}

  isWrong({ digest }: Endpoint): boolean {
    return this.wrong.has(digest);
  }

  /** Resolves when no verification runs. */
  async idle(): Promise<void> {
    await this.running;
  }

  /** Verifies a result now and then. @param known version of the pieces */
  sometimes(range: RangeCall, known: PartitionedData, kept: () => KeptPieces): void {
    if (this.running || this.dependencies.random() * EVERY >= 1) return;
    this.running = this.run(range, known, kept()).finally(() => (this.running = undefined));
  }

  /** Runs one verification. It never rejects. */
  private async run(range: RangeCall, known: PartitionedData, kept: KeptPieces): Promise<void> {
    const { purge, onVerified } = this.dependencies;
    const { endpoint } = range.call;
    const outcome = await this.compare(range, known, kept).catch(() => 'failed' as const);
    if (outcome === 'different') this.wrong.add(endpoint.digest);
    onVerified(endpoint, outcome);
    if (outcome === 'different') await purge({ endpointId: endpoint.id });
  }

  private async compare(
    range: RangeCall,
    known: PartitionedData,
    { spans, body }: KeptPieces,
  ): Promise<Verification> {
    const { dataVersions, runQuery } = this.dependencies;
    const whole = await runQuery({
      ...requestOver(range, known, conditionOf(range, spans), true),
      requestId: `${range.call.requestId}-verify`,
      // The caller has its response and may have disconnected.
      signal: new AbortController().signal,
      requester: VERIFICATION,
    });
    this.dependencies.onQueried?.(range.call.endpoint, whole);
    const later = await dataVersions.partitions(range.call, { isRead: true });
    const partitions = spans.map(({ partition }) => partition);
    if (!whole.isOfVersion || !later || !isUnchanged(range, { before: known, later }, partitions))
      return 'changed';
    return areEqualRows(whole.body, body) ? 'equal' : 'different';
  }
}
