import type { Values } from '../../endpoint/values.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { textOfProblem, type FileProblem } from '../../endpoint/file-problems.js';
import { Failure } from '../errors.js';
import { analyseEndpoint, problemsOf, type Analysis } from './analyse-endpoint.js';
import type { AnalysisTools } from './analyze-query.js';
import type { Combination } from './combinations.js';
import type { SqlFile } from './sql-file.js';

/** What ClickHouse said of each endpoint, by the digest of the definition. */
export class EndpointAnalyses {
  private readonly known = new Map<string, Analysis>();

  /** Undefined where ClickHouse was not asked yet. */
  of({ digest }: Endpoint): Analysis | undefined {
    return this.known.get(digest);
  }

  isAccepted(endpoint: Endpoint): boolean {
    return this.of(endpoint)?.rejections.length === 0;
  }

  /** Why ClickHouse rejects the query; empty where it accepts it, or was not asked yet. */
  rejectionsOf(endpoint: Endpoint): readonly FileProblem[] {
    return this.of(endpoint)?.rejections ?? [];
  }

  isRejected(endpoint: Endpoint): boolean {
    return this.rejectionsOf(endpoint).length > 0;
  }

  /** Whether ClickHouse was asked, and something is wrong. */
  hasProblem(endpoint: Endpoint): boolean {
    const analysis = this.of(endpoint);
    return analysis !== undefined && problemsOf(analysis).length > 0;
  }

  /** Asks ClickHouse again. @throws Error where it does not analyse the query */
  async analyse(endpoint: Endpoint, file: SqlFile | undefined, tools: AnalysisTools): Promise<Analysis> {
    const analysis = await analyseEndpoint(endpoint, file, tools);
    this.known.set(endpoint.digest, analysis);
    return analysis;
  }

  /**
   * @param values of the call; absent: none.
   * @throws Failure ENDPOINT_INVALID where ClickHouse rejects the query of such a call
   */
  readonly requireNoRejection = (endpoint: Endpoint, values: Values = new Map()): void => {
    const { rejections: [first] = [], rejected } = this.of(endpoint) ?? {};
    if (first === undefined || (rejected && !isOfCombination(values, rejected))) return;
    throw new Failure(
      'ENDPOINT_INVALID',
      'ClickHouse rejects the query of this endpoint. Its definition or its tables have to be corrected; the gateway’s log says ' +
        'where.',
      { diagnosis: textOfProblem(first).split('\n', 1).join() },
    );
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

/** Whether a call applies the parts of a combination, and perhaps others. */
function isOfCombination(values: Values, { names, choice }: Combination): boolean {
  const isChosen = choice === undefined || values.get(choice[0]) === choice[1];
  return isChosen && names.every((name) => (values.get(name) ?? null) !== null);
}
