import path from 'node:path';

import { textOfProblem } from '../../endpoint/file-problems.js';
import type { Environment, Project } from '../../gateway/config/project.js';
import type { ChangedPart } from '../dev/watch-project.js';
import { findTests, isChosenBy } from './find-tests.js';
import { runTest, type RanTest } from './run-tests.js';
import type { ReadTestFile, TestFile } from './test-file.js';
import { TestServer } from './test-server.js';

/** What a run of test files found. */
export interface TestRun {
  readonly tests: readonly RanTest[];
  /** Why nothing could run: endpoint or schema files that are invalid. */
  readonly failure?: string;
}

const NOTHING: TestRun = { tests: [] };

/** Runs the test files of a project, all of them or those that a change concerns, one run after another. */
export class TestRunner {
  private server: TestServer | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** @param filter as {@link isChosenBy} takes it */
  constructor(
    private readonly environment: Environment,
    private readonly project: Project,
    private readonly filter?: string,
  ) {}

  /** Runs every file that the filter chooses. */
  runAll(onRan?: (ran: RanTest) => void): Promise<TestRun> {
    return this.next(async () => this.run([...(await findTests(this.project.testsFolder)).values()], onRan));
  }

  /**
   * Runs the files that a change concerns.
   *
   * @param changed absolute paths.
   */
  runChanged(changed: ReadonlyMap<ChangedPart, readonly string[]>): Promise<TestRun> {
    return this.next(async () => {
      const found = [...(await findTests(this.project.testsFolder)).values()];
      if (found.length === 0) return NOTHING;
      if (changed.has('schema')) {
        await this.stopServer();
        return this.run(found);
      }
      const names = await this.changedEndpoints(changed.get('endpoints') ?? []);
      if (typeof names === 'string') return { tests: [], failure: names };
      const files = changed.get('tests') ?? [];
      return this.run(found.filter((read) => concerns(read, this.project, names, files)));
    });
  }

  async stop(): Promise<void> {
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

  /** The names of the endpoints that are new or changed; a text says why the files were not loaded. */
  private async changedEndpoints(files: readonly string[]): Promise<ReadonlySet<string> | string> {
    if (files.length === 0) return new Set();
    // The name of an endpoint is that of its file.
    if (!this.server) return new Set(files.map((file) => path.parse(file).name));
    const { ok, problems, added, changed } = await this.server.gateway.reload();
    return ok ? new Set([...added, ...changed]) : problems.map(textOfProblem).join('\n');
  }

  private async run(found: readonly ReadTestFile[], onRan?: (ran: RanTest) => void): Promise<TestRun> {
    if (found.length === 0) return NOTHING;
    const tests: RanTest[] = [];
    for (const read of found) {
      const ran = read.problems
        ? { file: read.problems[0]?.file ?? '', problems: read.problems, warnings: [], calls: [] }
        : await this.runFile(read.test);
      if (typeof ran === 'string') return { tests, failure: ran };
      if (!ran) continue;
      tests.push(ran);
      onRan?.(ran);
    }
    return { tests };
  }

  private async runFile(test: TestFile): Promise<RanTest | string | undefined> {
    const isChosen = isChosenBy(this.filter, test);
    if (!test.calls.some(isChosen)) return undefined;
    try {
      this.server ??= await TestServer.start(this.environment);
    } catch (error) {
      return (error as Error).message;
    }
    return runTest(this.server, test, isChosen);
  }
}

/** Whether a change of endpoints, or of files in `tests/`, concerns a test file. */
function concerns(
  { test, problems }: { readonly test?: TestFile; readonly problems?: ReadTestFile['problems'] },
  { folder }: Project,
  endpoints: ReadonlySet<string>,
  files: readonly string[],
): boolean {
  const file = test?.path ?? path.join(folder, problems?.[0]?.file ?? '');
  if (files.includes(file)) return true;
  if (!test) return false;
  const sources = Object.values(test.rows).filter((rows) => typeof rows === 'string');
  return (
    sources.some((source) => files.includes(path.resolve(path.dirname(test.path), source))) ||
    test.calls.some(({ endpoint = test.endpoint }) => endpoints.has(endpoint))
  );
}
