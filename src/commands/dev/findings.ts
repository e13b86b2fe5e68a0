import type { EndpointAnalyses } from '../../gateway/analysis/endpoint-analyses.js';
import type { SqlFiles } from '../../gateway/analysis/sql-file.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { checkEndpoint, type CheckTools } from '../check/check-endpoint.js';
import type { CheckedEndpoint } from '../check/checked-endpoint.js';

/** What a check takes from a development server. */
export interface FindingsDependencies {
  readonly analyses: EndpointAnalyses;
  readonly files: SqlFiles;
  /** Runs a task on a ClickHouse server. @throws Error where none responds */
  readonly withTools: <T>(task: (tools: CheckTools) => Promise<T>) => Promise<T>;
  /** Called when a check has ended. */
  readonly onFound: () => void;
}

/** What checks found about endpoints, by the digest of the definition: a changed one is checked again. */
export class FindingsOfEndpoints {
  private readonly checks = new Map<
    string,
    { readonly ended: Promise<CheckedEndpoint>; found?: CheckedEndpoint }
  >();
  /** One check at a time, so that checks neither load ClickHouse nor distort each other's times. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly dependencies: FindingsDependencies) {}

  of({ digest }: Endpoint): CheckedEndpoint | undefined {
    return this.checks.get(digest)?.found;
  }

  /** Checks an endpoint, once. @throws Error where ClickHouse cannot be reached, or the server stops */
  check(endpoint: Endpoint): Promise<CheckedEndpoint> {
    const { digest } = endpoint;
    const known = this.checks.get(digest);
    if (known) return known.ended;
    const ended = this.last.then(() => this.run(endpoint));
    this.last = ended.catch(() => undefined);
    const check = { ended };
    this.checks.set(digest, check);
    ended.then(
      (found) => {
        Object.assign(check, { found });
        this.dependencies.onFound();
      },
      () => this.checks.delete(digest),
    );
    return ended;
  }

  /** Forgets every finding, because the tables are other ones. */
  forget(): void {
    this.checks.clear();
  }

  /** Forgets the findings of definitions that are no longer served. */
  keepOnly(endpoints: readonly Endpoint[]): void {
    const digests = new Set(endpoints.map(({ digest }) => digest));
    for (const digest of this.checks.keys()) if (!digests.has(digest)) this.checks.delete(digest);
  }

  private run(endpoint: Endpoint): Promise<CheckedEndpoint> {
    const { withTools, files, analyses } = this.dependencies;
    const source = { sql: files.of(endpoint), analysis: analyses.of(endpoint) };
    return withTools((tools) => checkEndpoint(endpoint, tools, source));
  }
}
