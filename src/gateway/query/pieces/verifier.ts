import type { Endpoint } from '../../../endpoint/endpoint.js';
import type { DataVersions } from '../data-versions.js';
import type { PartitionedData } from '../known-data.js';
import type { QueryResult, Requester, RunQuery } from '../ports.js';
import type { PurgeScope } from '../result-store.js';
import { areEqualRows } from './equal-rows.js';
import { conditionOf, isUnchanged, requestOver, type RangeCall, type Span } from './range.js';

/** How a verification ended: `changed` where the data did, so that nothing could be compared. */
export type Verification = 'equal' | 'different' | 'changed' | 'failed';

export interface VerifierDependencies {
  readonly runQuery: RunQuery;
  /** Purges cached results, those of other gateways too. */
  readonly purge: (scope: PurgeScope) => Promise<unknown>;
  readonly dataVersions: DataVersions;
  /** At least 0 and less than 1. */
  readonly random: () => number;
  /** Called with each of its queries. */
  readonly onQueried?: (endpoint: Endpoint, result: QueryResult) => void;
  readonly onVerified: (endpoint: Endpoint, outcome: Verification) => void;
}

/** Kept pieces. */
export interface KeptPieces {
  readonly spans: readonly Span[];
  /** The body of a result with their rows. */
  readonly body: Buffer;
}

/** One composed result in so many is verified. */
const EVERY = 500;

/** The requester of verifications: behind every caller, and without limits. */
const VERIFICATION: Requester = { lane: 'verification', priority: 'warming' };

/**
 * Compares kept pieces with one query over the same rows, for some composed results, one at a time, while no caller waits. An
 * endpoint whose pieces are different is not composed any more.
 */
export class PieceVerifier {
  /** Digests of the endpoints whose pieces were different. */
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

  /** @param known the version of which the pieces are */
  sometimes(range: RangeCall, known: PartitionedData, kept: () => KeptPieces): void {
    if (this.running || this.dependencies.random() * EVERY >= 1) return;
    this.running = this.run(range, known, kept()).finally(() => (this.running = undefined));
  }

  /** Never rejects. */
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
      // The caller has its response, and may be gone.
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
