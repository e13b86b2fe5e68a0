import type { EndpointAnalyses } from '../../gateway/analysis/endpoint-analyses.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import { visibleState } from '../../gateway/server/reloader.js';
import type { OpenClickHouse } from '../../gateway/server/open-clickhouse.js';
import { checkEndpoint, type CheckTools } from '../check/check-endpoint.js';
import type { CheckedEndpoint } from '../check/checked-endpoint.js';
import { withUntilChanged } from '../check/until-changed.js';

/** What a check takes from a development server. */
export interface FindingsDependencies {
  readonly analyses: EndpointAnalyses;
  /** Runs a task on a ClickHouse server. @throws Error where none responds */
  readonly withTools: <T>(task: (tools: CheckTools) => Promise<T>) => Promise<T>;
  /** The connection for versions, or why there is none, as for `querygate check`. */
  readonly versions: () => OpenClickHouse['versions'];
  /** Called when a check has ended. */
  readonly onFound: () => void;
}

interface Check {
  /** Text of the file: findings refer to its lines. */
  readonly source: string | undefined;
  readonly ended: Promise<CheckedEndpoint>;
  found?: CheckedEndpoint;
}

/** The findings of checks by definition and settings of an endpoint. A changed endpoint is checked again. */
export class FindingsOfEndpoints {
  private readonly checks = new Map<string, Check>();
  /** The last check. Checks run one at a time, so that they neither load ClickHouse nor distort each other's times. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly dependencies: FindingsDependencies) {}

  of(endpoint: Endpoint): CheckedEndpoint | undefined {
    return this.checks.get(visibleState(endpoint))?.found;
  }

  /** Checks an endpoint, once. @throws Error where ClickHouse cannot be reached, or the server stops */
  check(endpoint: Endpoint): Promise<CheckedEndpoint> {
    const facts = visibleState(endpoint);
    const known = this.checks.get(facts);
    if (known) return known.ended;
    const ended = this.last.then(() => this.run(endpoint));
    this.last = ended.catch(() => undefined);
    const check = { source: endpoint.file?.source, ended };
    this.checks.set(facts, check);
    ended.then(
      (found) => {
        Object.assign(check, { found });
        this.dependencies.onFound();
      },
      () => {
        if (this.checks.get(facts) === check) this.checks.delete(facts);
      },
    );
    return ended;
  }

  /** Forgets every finding, because the tables are other ones. */
  forget(): void {
    this.checks.clear();
  }

  /** Removes the findings of definitions that are no longer served. Checks again the endpoints whose files have other lines. */
  keepOnly(endpoints: readonly Endpoint[]): void {
    const served = new Map(endpoints.map((endpoint) => [visibleState(endpoint), endpoint]));
    for (const [facts, { source }] of this.checks) {
      const endpoint = served.get(facts);
      if (endpoint && endpoint.file?.source === source) continue;
      this.checks.delete(facts);
      if (endpoint) this.check(endpoint).catch(() => undefined);
    }
  }

  private run(endpoint: Endpoint): Promise<CheckedEndpoint> {
    const { withTools, analyses, versions } = this.dependencies;
    const source = { analysis: analyses.of(endpoint) };
    return withTools(async (tools) => {
      const checked = await checkEndpoint(endpoint, tools, source);
      if (!endpoint.pieces && !endpoint.settings.untilChanged) return checked;
      const [withVersions = checked] = await withUntilChanged([checked], [endpoint], versions(), tools);
      return withVersions;
    });
  }
}
