import path from 'node:path';

import { isEndpointFile } from '../../endpoint/endpoint-files.js';
import { textOfProblem } from '../../endpoint/file-problems.js';
import type { Environment, Project } from '../../gateway/config/project.js';
import type { ProjectEndpointsOptions } from '../../gateway/server/project-endpoints.js';
import type { ChangedPart } from '../dev/watch-project.js';
import { findTests, isChosenBy } from './find-tests.js';
import { runTest, type RanTest } from './run-tests.js';
import type { ReadTestFile, TestFile } from './test-file.js';
import { startTestServer, type TestServer } from './test-server.js';

/** What a run of test files found. */
export interface TestRun {
  readonly tests: readonly RanTest[];
  /** Why nothing could run: endpoint or schema files that are invalid. */
  readonly failure?: string;
  /** The names of all files that there are. */
  readonly files: ReadonlySet<string>;
}

/** Runs the test files of a project, all of them or those that a change concerns, one run after another. */
export class TestRunner {
  private server: TestServer | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private isStopped = false;

  /** @param options `filter` as {@link isChosenBy} takes it, `loading` as {@link startTestServer} does */
  constructor(
    private readonly environment: Environment,
    private readonly project: Project,
    private readonly options: { readonly filter?: string; readonly loading?: ProjectEndpointsOptions },
  ) {}

  /** Runs every file that the filter chooses. */
  runAll(onRan: (ran: RanTest) => void): Promise<TestRun> {
    return this.next(async () => this.run(await findTests(this.project.testsFolder), onRan));
  }

  /**
   * Runs the files that a change concerns.
   *
   * @param changed absolute paths.
   */
  runChanged(changed: ReadonlyMap<ChangedPart, readonly string[]>): Promise<TestRun> {
    return this.next(async () => {
      const found = await findTests(this.project.testsFolder);
      if (changed.has('schema')) {
        await this.stopServer();
        return this.run(found);
      }
      const files = namesOf(found);
      const names = await this.changedEndpoints(changed.get('endpoints') ?? []);
      if (typeof names === 'string') return { tests: [], files, failure: names };
      const ofTests = changed.get('tests') ?? [];
      const concerned = found.filter((each) => names === undefined || concerns(each, names, ofTests));
      return { ...(await this.run(concerned)), files };
    });
  }

  /** Ends the run after the call that it waits for, and stops the server. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.last.catch(() => undefined);
    await this.stopServer();
  }

  private async stopServer(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    await server?.stop();
  }

  private next<T>(task: () => Promise<T>): Promise<T> {
    const result = this.last.then(task);
    this.last = result.catch(() => undefined);
    return result;
  }

  /**
   * Names of the new, changed and removed endpoints; undefined where any endpoint can have changed. A text is the reason why the
   * files were not loaded.
   */
  private async changedEndpoints(
    files: readonly string[],
  ): Promise<ReadonlySet<string> | undefined | string> {
    if (files.length === 0) return new Set();
    if (!this.server) {
      // The name of an endpoint is that of its file; other files, such as the settings, can change any.
      const names = files.map((file) => path.parse(file));
      return names.every(({ base }) => isEndpointFile(base))
        ? new Set(names.map(({ name }) => name))
        : undefined;
    }
    const { ok, problems, added, changed, removed } = await this.server.gateway.reload();
    return ok ? new Set([...added, ...changed, ...removed]) : problems.map(textOfProblem).join('\n');
  }

  private async run(found: readonly ReadTestFile[], onRan?: (ran: RanTest) => void): Promise<TestRun> {
    const files = namesOf(found);
    const tests: RanTest[] = [];
    for (const each of found) {
      if (this.isStopped) break;
      const ran = each.test ? await this.runFile(each.test) : this.invalid(each);
      if (typeof ran === 'string') return { tests, files, failure: ran };
      if (!ran) continue;
      tests.push(ran);
      onRan?.(ran);
    }
    return { tests, files };
  }

  /** A file that cannot be read has no names but its own. */
  private invalid({ file, problems = [] }: ReadTestFile): RanTest | undefined {
    const isChosen = this.options.filter === undefined || file.includes(this.options.filter);
    return isChosen ? { file, problems, warnings: [], calls: [] } : undefined;
  }

  private async runFile(test: TestFile): Promise<RanTest | string | undefined> {
    const isChosen = isChosenBy(this.options.filter, test);
    if (!test.calls.some(isChosen)) return undefined;
    try {
      this.server ??= await startTestServer(this.environment, this.options.loading);
    } catch (error) {
      return (error as Error).message;
    }
    return runTest(this.server, test, (call, index) => !this.isStopped && isChosen(call, index));
  }
}

const namesOf = (found: readonly ReadTestFile[]): ReadonlySet<string> =>
  new Set(found.map(({ file }) => file));

/** Whether a change of endpoints, or of files in `tests/`, concerns a test file. */
function concerns(
  { path: own, test }: ReadTestFile,
  endpoints: ReadonlySet<string>,
  files: readonly string[],
): boolean {
  if (files.includes(own)) return true;
  if (!test) return false;
  const sources = Object.values(test.rows).filter((rows) => typeof rows === 'string');
  return (
    sources.some((source) => files.includes(path.resolve(path.dirname(own), source))) ||
    test.calls.some(({ endpoint = test.endpoint }) => endpoints.has(endpoint))
  );
}
