import { Command, Option } from 'commander';

import { replaceFile } from '../../files/replace-file.js';
import { readConfig } from '../../gateway/config/config.js';
import type { Project } from '../../gateway/config/project.js';
import { watchProject, type ChangedPart } from '../dev/watch-project.js';
import type { CallRun, RanTest } from '../endpoint-tests/run-tests.js';
import { testReport, testSummary } from '../endpoint-tests/test-report.js';
import { TestRunner, type TestRun } from '../endpoint-tests/test-runner.js';
import { environmentOfTests } from '../endpoint-tests/test-server.js';
import { updateTest } from '../endpoint-tests/update-test.js';
import { failureOf } from './check/check-junit.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';
import { junitXml, type JunitCase } from './junit.js';
import { withProjectOption } from './project-option.js';
import { interruptible, printError, runCommand } from './run-command.js';

/** `querygate test`: runs the tests of the project's endpoints. */
export function testCommand(): Command {
  return withProjectOption(new Command('test'))
    .description('Runs the files of tests/: rows of tables, and what calls of endpoints return over them.')
    .argument('[filter]', 'a part of the name of a file, an endpoint or a call; all by default')
    .addOption(
      // Its own writes would start it again.
      new Option('--update', 'write into the files what came, in place of what was expected')
        .default(false)
        .conflicts('watch'),
    )
    .option('--watch', 'run again what a change of a file concerns, until Ctrl-C', false)
    .option('--junit <file>', 'write the result as JUnit XML to a file too, for CI')
    .addHelpText('after', HELP)
    .action((filter: string | undefined, options: TestOptions) =>
      runCommand((signal) => runTests(filter, options, signal)),
    );
}

interface TestOptions {
  readonly update: boolean;
  readonly watch: boolean;
  /** A file for the result as JUnit XML. */
  readonly junit?: string;
}

async function runTests(
  filter: string | undefined,
  { update, watch, junit }: TestOptions,
  signal: AbortSignal,
): Promise<void> {
  const { project, dataDir } = readConfig(environmentOfTests(process.env));
  const runner = new TestRunner(process.env, project, { ...(filter !== undefined && { filter }) });
  const report = async ({ tests, failure }: TestRun): Promise<ReadonlySet<CallRun>> => {
    if (failure !== undefined) throw new CommandError(failure, EXIT.failed);
    const updated = update ? await updateAll(tests) : new Set<CallRun>();
    process.stdout.write(`${testSummary(tests)}${updated.size > 0 ? `; ${updated.size} updated` : ''}\n`);
    return updated;
  };
  const rerun = async (changed: ReadonlyMap<ChangedPart, readonly string[]>): Promise<void> => {
    const run = await runner.runChanged(changed);
    for (const ran of run.tests) print(ran);
    if (run.tests.length > 0 || run.failure !== undefined) await report(run);
  };
  // Before any file is read, so that no change is missed.
  const watcher = watch ? await watchTests(project, dataDir, rerun) : undefined;
  try {
    await interruptible(signal, async () => {
      const run = await runner.runAll(print);
      // Whoever watches repairs the file.
      const updated = await report(run).catch((error: unknown) => {
        if (!watcher) throw error;
        printError(error);
        return new Set<CallRun>();
      });
      if (junit !== undefined) await replaceFile(junit, testJunit(run.tests));
      // Ends with an interruption.
      if (watcher) await new Promise(() => undefined);
      if (run.tests.length === 0) throw noTests(project.testsFolder, filter);
      setExitCode(run.tests, updated);
    });
  } finally {
    await watcher?.close();
    await runner.stop();
  }
}

function print(ran: RanTest): void {
  process.stdout.write(testReport(ran));
}

function watchTests(
  project: Project,
  dataDir: string,
  onChange: (changed: ReadonlyMap<ChangedPart, readonly string[]>) => Promise<void>,
): ReturnType<typeof watchProject> {
  return watchProject(project, dataDir, {
    onChange: (changed) => {
      onChange(changed).catch(printError);
    },
    onError: printError,
  });
}

/** @returns the calls whose expectations were updated, so that they would now pass */
async function updateAll(tests: readonly RanTest[]): Promise<ReadonlySet<CallRun>> {
  const updated = new Set<CallRun>();
  for (const ran of tests) for (const call of await updateTest(ran)) updated.add(call);
  return updated;
}

/** A file that cannot run is invalid usage; a difference a failure, unless it was written into the file. */
function setExitCode(tests: readonly RanTest[], updated: ReadonlySet<CallRun>): void {
  const isFailed = (call: CallRun): boolean => call.differences.length > 0 && !updated.has(call);
  if (tests.some(({ problems }) => problems.length > 0)) process.exitCode = EXIT.usage;
  else if (tests.some(({ calls }) => calls.some(isFailed))) process.exitCode = EXIT.failed;
}

function noTests(folder: string, filter: string | undefined): CommandError {
  return usageError(
    filter === undefined
      ? `There are no test files in ${folder}: write tests/NAME.yaml, as docs/how-to/change-an-endpoint.md shows.`
      : `No file, endpoint or call in ${folder} has ${JSON.stringify(filter)} in its name.`,
  );
}

/** The result as JUnit XML: a case for each call, and one for each file that cannot run. */
function testJunit(tests: readonly RanTest[]): string {
  return junitXml(
    'querygate test',
    tests.flatMap(({ file, calls, problems, warnings }): readonly JunitCase[] => {
      const shared = { group: file, file };
      if (problems.length > 0)
        return [{ ...shared, name: file, milliseconds: 0, failure: failureOf(problems), warnings }];
      return calls.map(({ title, milliseconds, differences: [first, ...others] }, index) => ({
        ...shared,
        name: title,
        milliseconds,
        failure:
          first === undefined
            ? undefined
            : {
                message: first.split('\n', 1)[0] ?? '',
                type: 'difference',
                text: [first, ...others].join('\n'),
              },
        warnings: index === 0 ? warnings : [],
      }));
    }),
  );
}

const HELP = `
Each file tests/NAME.yaml has rows of tables, and calls of the endpoint NAME with the rows, columns, headers, body or problem
that they expect. The calls go through a gateway on an embedded ClickHouse of its own, with the project's schema files and
only these rows. Of the variables only CLICKHOUSE_DATABASE counts. Files of tests/ that begin with _ are no tests.

Examples:
  querygate test
  querygate test events.count --update
  querygate test --junit tests.xml
  querygate test --watch

Exit codes: 0 all calls passed; 1 a difference, or the gateway cannot start; 2 invalid usage, or a file that cannot run; 130
or 143 ended by a signal.`;
