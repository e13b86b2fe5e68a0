import type { Values } from '../../endpoint/values.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { textOfProblem, type FileProblem } from '../../endpoint/file-problems.js';
import { endpointInvalid, Failure } from '../errors.js';
import { EVERY_ROW, type RowScope } from '../query/row-scope.js';
import { analyseEndpoint, problemsOf, rejectionsIn, type Analysis } from './analyse-endpoint.js';
import type { AnalysisTools } from './analyze-query.js';
import { isOfCombination } from './combinations.js';

const NOT_ASKED: Analysis = { findings: [] };

/** What ClickHouse said of each endpoint, by the digest of the definition: a changed one is analysed once. */
export class EndpointAnalyses {
  private readonly known = new Map<string, Analysis>();

  /** Undefined where ClickHouse was not asked yet. */
  of({ digest }: Endpoint): Analysis | undefined {
    return this.known.get(digest);
  }

  isAccepted(endpoint: Endpoint): boolean {
    return this.of(endpoint) !== undefined && !this.isRejected(endpoint);
  }

  /** Why ClickHouse rejects the query; empty where it accepts it, or was not asked yet. */
  rejectionsOf(endpoint: Endpoint): readonly FileProblem[] {
    return rejectionsIn(this.of(endpoint) ?? NOT_ASKED).map(({ problem }) => problem);
  }

  isRejected(endpoint: Endpoint): boolean {
    return this.rejectionsOf(endpoint).length > 0;
  }

  /** Whether ClickHouse was asked, and something is wrong. */
  hasProblem(endpoint: Endpoint): boolean {
    return problemsOf(this.of(endpoint) ?? NOT_ASKED).length > 0;
  }

  /** Asks ClickHouse again. @throws Error where it does not analyse the query */
  async analyse(endpoint: Endpoint, tools: AnalysisTools): Promise<Analysis> {
    const analysis = await analyseEndpoint(endpoint, tools);
    this.known.set(endpoint.digest, analysis);
    return analysis;
  }

  /**
   * @param values of the call; absent: none.
   * @throws Failure ENDPOINT_INVALID where ClickHouse rejects the query of such a call; FORBIDDEN where it reads figures of callers,
   *   and the caller may see some rows only
   */
  readonly requireRunnable = (
    endpoint: Endpoint,
    values: Values = new Map(),
    scope: RowScope = EVERY_ROW,
  ): void => {
    if (scope !== EVERY_ROW && this.of(endpoint)?.ownTables?.length)
      throw new Failure(
        'FORBIDDEN',
        'This key may not call this endpoint, which reads figures of all callers.',
      );
    const found = rejectionsIn(this.of(endpoint) ?? NOT_ASKED).find(
      ({ calls }) => calls?.some((combination) => isOfCombination(values, combination)) ?? true,
    );
    if (found === undefined) return;
    throw endpointInvalid({ diagnosis: textOfProblem(found.problem).split('\n', 1).join() });
  };

  /** Forgets everything, because the tables are other ones. */
  forget(): void {
    this.known.clear();
  }

  /** Forgets the definitions that are no longer served. */
  keepOnly(endpoints: readonly Endpoint[]): void {
    const digests = new Set(endpoints.map(({ digest }) => digest));
    for (const digest of this.known.keys()) if (!digests.has(digest)) this.known.delete(digest);
  }
}
