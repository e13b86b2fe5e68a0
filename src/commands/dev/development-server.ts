import { createHash } from 'node:crypto';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { lacksColumns } from '../../endpoint/sql-file/parse-sql-file.js';
import { EndpointAnalyses } from '../../gateway/analysis/endpoint-analyses.js';
import type { CheckedEndpoint } from '../check/checked-endpoint.js';
import type { OwnServer } from '../../gateway/server/own-server.js';
import type { CheckTools } from '../check/check-endpoint.js';
import { callTools } from '../clickhouse/call-tools.js';
import type { QueryClient } from '../../gateway/clickhouse/connect-clickhouse.js';
import { withFailover } from '../../gateway/clickhouse/failover.js';
import type { Config } from '../../gateway/config/config.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Endpoints } from '../../endpoint/registry.js';
import { textOfProblem, type FileProblem } from '../../endpoint/file-problems.js';
import { endpointFiles } from '../../endpoint/endpoint-files.js';
import type { EndpointFile, Findings } from '../../gateway/http/describe/development-routes.js';
import type { Development } from '../../gateway/server/compose.js';
import type { OpenClickHouse } from '../../gateway/server/open-clickhouse.js';
import { visibleState, type Reload } from '../../gateway/server/reloader.js';
import type { RanTest } from '../endpoint-tests/run-tests.js';
import { AnalysedFiles } from './analysed-files.js';
import { FindingsOfEndpoints } from './findings.js';
import { writeMissingIds } from '../check/missing-ids.js';
import { Revision } from './revision.js';
import type { Terminal } from './terminal.js';
import type { ChangedPart } from './watch-project.js';

type ReportCheck = (checked: CheckedEndpoint, endpoint: Endpoint) => void;

/** The additions of a development server to a gateway: it loads valid files, checks changed ones, and notifies the console. */
export class DevelopmentServer implements Development {
  private readonly findings: FindingsOfEndpoints;
  private readonly analysed: AnalysedFiles;
  readonly analyses = new EndpointAnalyses();
  private readonly revisions = new Revision();
  /** Names of endpoints that were added or changed, and of the others, that were not checked yet. */
  private readonly changed = new Set<string>();
  private readonly unchanged = new Set<string>();
  private checking: Promise<void> = Promise.resolve();
  private clickhouse: OpenClickHouse | undefined;
  private onServer: ReturnType<typeof withFailover<QueryClient>> | undefined;
  private problemsOfFiles: readonly FileProblem[] = [];
  /** The last run of the tests, by file. */
  private readonly tests = new Map<string, RanTest>();
  private readonly noticesOfParts = new Map<ChangedPart, string>();

  constructor(
    private readonly config: Config,
    private readonly reporter: Omit<Terminal, 'print' | 'tested'>,
    private readonly signal: AbortSignal,
  ) {
    const { analyses, withTools } = this;
    const onFound = (): void => {
      this.revisions.change();
    };
    const versions = (): OpenClickHouse['versions'] =>
      this.clickhouse?.versions ?? { reason: 'ClickHouse is not open' };
    this.findings = new FindingsOfEndpoints({ analyses, withTools, versions, onFound });
    this.analysed = new AnalysedFiles({
      ...{ analyses, withTools },
      prepareFor: async (endpoints) => this.clickhouse?.own?.prepareFor(endpoints),
      onWritten: reporter.columnsWritten,
    });
  }

  readonly loading: Development['loading'] = {
    mayLackColumns: true,
    // The first load is before ClickHouse is open; the endpoints are loaded again when it is.
    complete: async (loaded, earlier) => {
      const { endpointsFolder } = this.config.project;
      const problems = await writeMissingIds(endpointsFolder, loaded.problems, this.reporter.idWritten);
      const withIds = { ...loaded, problems };
      return this.clickhouse ? this.analysed.complete(withIds, earlier) : withIds;
    },
  };

  readonly onOpened = (clickhouse: OpenClickHouse): void => {
    this.clickhouse = clickhouse;
    this.onServer = withFailover(clickhouse.servers.map(({ client }) => client));
  };

  /** Runs a task on a server of the gateway. @throws Error where none responds */
  private readonly withTools = <T>(task: (tools: CheckTools) => Promise<T>): Promise<T> => {
    const { config, signal } = this;
    if (!this.onServer) throw new Error('ClickHouse is not open');
    const isTemporary = config.clickhouse.kind === 'embedded';
    return this.onServer((client) => task({ ...callTools(client, config, signal), isTemporary }));
  };

  readonly onReload = (outcome: Reload): void => {
    const before = this.problemsOfFiles.map(textOfProblem).join('\n');
    this.problemsOfFiles = outcome.problems;
    this.revisions.change();
    const { added, changed, removed } = outcome;
    for (const name of [...added, ...changed]) {
      this.unchanged.delete(name);
      this.changed.add(name);
    }
    const isNews = before !== outcome.problems.map(textOfProblem).join('\n');
    if (isNews || [...added, ...changed, ...removed].length > 0) this.reporter.reloaded(outcome);
  };

  revision(): string {
    return this.revisions.text;
  }

  problems(): readonly (FileProblem & { readonly path?: string })[] {
    // Whoever is writing a file knows that it is not finished.
    return this.problemsOfFiles
      .filter(({ unfinished }) => unfinished === undefined)
      .map((problem) => {
        const { file } = problem;
        return file === undefined ? problem : { ...problem, path: this.absolute(file) };
      });
  }

  notices(): readonly string[] {
    return [...this.noticesOfParts.values()];
  }

  versionOf({ digest, settings }: Endpoint): string {
    return createHash('sha256')
      .update(digest)
      .update(JSON.stringify(settings))
      .digest('base64url')
      .slice(0, 16);
  }

  check(endpoint: Endpoint): void {
    this.findings.check(endpoint).catch(() => undefined);
  }

  untilChanged(from: string, signal: AbortSignal): Promise<void> {
    return this.revisions.changed(from, signal);
  }

  /** Checks each new or changed endpoint, one at a time, and reports each finding once. */
  checkChanged(endpoints: Endpoints): Promise<void> {
    this.checking = this.checking.then(() => this.checkEach(this.changed, endpoints, this.report));
    return this.checking;
  }

  /** Checks every endpoint, one after another, and reports those with a problem or a warning, and how many there are. */
  async checkAll(endpoints: Endpoints): Promise<void> {
    const found: CheckedEndpoint[] = [];
    this.changed.clear();
    for (const { name } of endpoints.all()) this.unchanged.add(name);
    await this.checkEach(this.unchanged, endpoints, (checked, endpoint) => {
      found.push(checked);
      if (checked.problems.length + checked.warnings.length > 0) this.report(checked, endpoint);
    });
    if (found.length > 0) this.reporter.checkedAll(found);
  }

  private async checkEach(names: Set<string>, endpoints: Endpoints, report: ReportCheck): Promise<void> {
    for (const name of names) {
      names.delete(name);
      const endpoint = endpoints.find(name);
      const checked = endpoint && (await this.findings.check(endpoint).catch(() => undefined));
      const served = endpoints.find(name);
      // What has changed meanwhile is checked after it.
      if (checked && served && visibleState(served) === visibleState(endpoint)) report(checked, endpoint);
    }
  }

  /** Omits problems that the analysis before the endpoint was served has reported. */
  private readonly report: ReportCheck = (checked, endpoint) => {
    if (!this.analyses.hasProblem(endpoint) && !lacksColumns(endpoint.file)) this.reporter.checked(checked);
  };

  /** The embedded server, once it is open; undefined where the servers are external. */
  get embedded(): OwnServer | undefined {
    return this.clickhouse?.own;
  }

  /**
   * Shows what the tests of endpoints found, in place of what the same files found before.
   *
   * @param all the files that there are.
   */
  tested(tests: readonly RanTest[], all: ReadonlySet<string>): void {
    const removed = [...this.tests.keys()].filter((file) => !all.has(file));
    for (const file of removed) this.tests.delete(file);
    for (const ran of tests) this.tests.set(ran.file, ran);
    if (tests.length + removed.length > 0) this.revisions.change();
  }

  /** Removes the findings about definitions that are no longer served. */
  keepOnly(endpoints: readonly Endpoint[]): void {
    this.findings.keepOnly(endpoints);
  }

  /** Ends the requests that wait for news, so that the gateway can stop. */
  end(): void {
    this.revisions.change();
  }

  /** Called when tables were created, changed or dropped, because findings about endpoints may no longer be true. */
  forgetAnalyses(): void {
    this.analyses.forget();
    this.findings.forget();
  }

  /** Shows what a person should do about a part of the project, in place of what was shown about it; nothing: done. */
  notify(part: ChangedPart, notice?: string): void {
    if (notice === undefined) this.noticesOfParts.delete(part);
    else this.noticesOfParts.set(part, notice);
    this.revisions.change();
  }

  /** What the check and the tests of an endpoint found. */
  findingsOf(endpoint: Endpoint): Findings | undefined {
    const found = described(this.findings.of(endpoint));
    const faults = [...this.tests.values()].flatMap((ran) => faultsOf(ran, endpoint));
    if (faults.length === 0) return found;
    return { warnings: [], tables: [], ...found, faults: [...(found?.faults ?? []), ...faults] };
  }

  async fileOf({ name }: Endpoint): Promise<EndpointFile | undefined> {
    const { endpointsFolder } = this.config.project;
    const below = (await endpointFiles(endpointsFolder)).find((file) => path.parse(file).name === name);
    if (below === undefined) return undefined;
    const file = path.join(path.basename(endpointsFolder), below);
    return { file, path: this.absolute(file) };
  }

  /** @param file with the name of the folder of the endpoint files, as messages name it. */
  private absolute(file: string): string {
    return path.resolve(this.config.project.endpointsFolder, '..', file);
  }
}

/** What a test file found about an endpoint. */
function faultsOf({ file, test, calls, problems }: RanTest, { name }: Endpoint): readonly string[] {
  // The name of a file that cannot be read is that of its endpoint.
  const ofFile = (test?.endpoint ?? path.parse(file).name) === name ? problems.map(textOfProblem) : [];
  const failed = calls.filter(
    ({ call, differences }) => differences.length > 0 && (call.endpoint ?? test?.endpoint) === name,
  );
  return [
    ...ofFile,
    ...failed.map(({ title, differences }) =>
      stripVTControlCharacters(`${file}: ${title}\n${differences.join('\n')}`),
    ),
  ];
}

function described(checked: CheckedEndpoint | undefined): Findings | undefined {
  if (!checked) return undefined;
  const { problems, warnings, example, tables } = checked;
  return {
    faults: problems.map(textOfProblem),
    warnings,
    ...(example && {
      rows: example.rows,
      rowsRead: example.rowsRead,
      milliseconds: example.milliseconds,
    }),
    tables: tables.map(({ database, table, rows, parts, granules }) => ({
      table: `${database}.${table}`,
      rows,
      parts: parts.read,
      partsOf: parts.of,
      granules: granules.read,
      granulesOf: granules.of,
    })),
  };
}
