import type { Values } from '../../endpoint/values.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { textOfProblem, type FileProblem } from '../../endpoint/file-problems.js';
import { endpointInvalid, Failure } from '../errors.js';
import { EVERY_ROW, type RowScope } from '../query/row-scope.js';
import { analyseEndpoint, problemsOf, rejectionsIn, type Analysis } from './analyse-endpoint.js';
import type { AnalysisTools } from './analyze-query.js';
import { isOfCombination } from './combinations.js';

const NOT_ASKED: Analysis = { findings: [] };

/** Analyses of endpoints by the digest of the definition, so that each changed definition is analysed once. */
export class EndpointAnalyses {
  private readonly known = new Map<string, Analysis>();

  /** Analysis of an endpoint. Undefined where there is none yet. */
  of({ digest }: Endpoint): Analysis | undefined {
    return this.known.get(digest);
  }

  isAccepted(endpoint: Endpoint): boolean {
    return this.of(endpoint) !== undefined && !this.isRejected(endpoint);
  }

  /** Reasons why ClickHouse rejects the query. Empty where ClickHouse accepts it, or has not analysed it yet. */
  rejectionsOf(endpoint: Endpoint): readonly FileProblem[] {
    return rejectionsIn(this.of(endpoint) ?? NOT_ASKED).map(({ problem }) => problem);
  }

  isRejected(endpoint: Endpoint): boolean {
    return this.rejectionsOf(endpoint).length > 0;
  }

  /** Whether the analysis of an endpoint found a problem. False where there is no analysis yet. */
  hasProblem(endpoint: Endpoint): boolean {
    return problemsOf(this.of(endpoint) ?? NOT_ASKED).length > 0;
  }

  /** Lets ClickHouse analyse the endpoint again. @throws Error where ClickHouse does not analyse the query */
  async analyse(endpoint: Endpoint, tools: AnalysisTools): Promise<Analysis> {
    const analysis = await analyseEndpoint(endpoint, tools);
    this.known.set(endpoint.digest, analysis);
    return analysis;
  }

  /**
   * @param values values of the call; absent: none.
   * @throws Failure ENDPOINT_INVALID where ClickHouse rejects the query of such a call; FORBIDDEN where the endpoint reads figures of all
   *   callers, and the caller may see only some rows
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

  /** Removes all analyses, because the tables have changed. */
  forget(): void {
    this.known.clear();
  }

  /** Removes the analyses of definitions that are no longer served. */
  keepOnly(endpoints: readonly Endpoint[]): void {
    const digests = new Set(endpoints.map(({ digest }) => digest));
    for (const digest of this.known.keys()) if (!digests.has(digest)) this.known.delete(digest);
  }
}
