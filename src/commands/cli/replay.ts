import { Command, InvalidArgumentError, Option } from 'commander';
import { readFile } from 'node:fs/promises';

import { rowCap, type Endpoint } from '../../endpoint/endpoint.js';
import { Figures } from '../../endpoint/figures.js';
import type { QueryCost } from '../../endpoint/limit-rules.js';
import type { EndpointRegistry } from '../../endpoint/registry.js';
import { readConfig, type Config } from '../../gateway/config/config.js';
import { createLogger } from '../../gateway/observability/logger.js';
import { loadProjectEndpoints } from '../../gateway/server/project-endpoints.js';
import { openRequestLog } from '../../gateway/server/open-request-log.js';
import { withCallTools } from '../clickhouse/call-tools.js';
import { withServer, type CommandServer } from '../clickhouse/with-server.js';
import { replayCalls } from '../replay/compare-versions.js';
import { loadOtherVersion } from '../replay/other-version.js';
import { parseRecordedCalls, readRecordedCalls, type RecordedCall } from '../replay/recorded-calls.js';
import { tallyOf, jsonReport, markdownReport, textReport, type ReplayReport } from '../replay/report.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';
import { Progress } from './progress.js';
import { withProjectOption } from './project-option.js';
import { runCommand } from './run-command.js';
import { purgeCalls, saveCalls, sinceTime } from './saved-calls.js';

const FORMATS = { text: textReport, markdown: markdownReport, json: jsonReport };

/** `querygate replay`: what a change of the endpoints changes for the calls that were made. */
export function replayCommand(): Command {
  return withProjectOption(new Command('replay'))
    .description('Runs recorded calls with another version of the endpoints and with this one, and compares.')
    .option(
      '--against <folder or commit>',
      'the version to compare with: a project, or a commit of its git repository',
    )
    .option(
      '--since <duration or time>',
      'of which time the recorded calls are (default: 24h, of --save 14d)',
    )
    .option('--calls <file>', 'the calls from a file of --save, instead of the recorded ones')
    .option('--save [file]', 'only write the recorded calls, as NDJSON, to a file or standard output')
    .option('--purge', 'only delete all recorded calls')
    .option('--budget <seconds>', 'how long ClickHouse may be busy with it', positive, 60)
    .option(
      '--fail-on <reasons>',
      'exit with 1 where there are some: differs, errors, slower=1.5 (times as slow)',
      failOn,
    )
    .addOption(new Option('--format <format>', 'of the report').choices(Object.keys(FORMATS)).default('text'))
    .addHelpText('after', HELP)
    .action((options: ReplayOptions) => runCommand((signal) => runReplay(options, signal)));
}

interface ReplayOptions {
  readonly against?: string;
  readonly since?: string;
  readonly calls?: string;
  /** A file; true for standard output. */
  readonly save?: string | true;
  readonly purge?: boolean;
  /** Seconds. */
  readonly budget: number;
  readonly failOn?: FailOn;
  readonly format: keyof typeof FORMATS;
}

interface FailOn {
  readonly differs: boolean;
  readonly errors: boolean;
  /** How many times as slow an endpoint may become. */
  readonly slower?: number;
}

/** Milliseconds by which an endpoint must be slower in all: less is noise. */
const SLOWER_MS = 50;

function positive(text: string): number {
  if (Number(text) > 0 && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError(
    'It must be a number of seconds above 0: nothing can be replayed without a budget.',
  );
}

function failOn(text: string): FailOn {
  const reasons = text.split(',').map((reason) => reason.trim());
  const slower = reasons
    .map((reason) => /^slower=(\d+(?:\.\d+)?)$/.exec(reason)?.[1])
    .find((factor) => factor !== undefined);
  const unknown = reasons.find((reason) => !/^(?:differs|errors|slower=\d+(?:\.\d+)?)$/.test(reason));
  if (unknown !== undefined || Number(slower ?? 1) < 1)
    throw new InvalidArgumentError('Reasons are differs, errors and slower=1.5, separated by commas.');
  return {
    differs: reasons.includes('differs'),
    errors: reasons.includes('errors'),
    ...(slower !== undefined && { slower: Number(slower) }),
  };
}

async function runReplay(options: ReplayOptions, signal: AbortSignal): Promise<void> {
  const { against, save, purge, since } = options;
  if ([against, save, purge].filter((chosen) => chosen !== undefined).length !== 1)
    throw usageError('Use one of --against, --save and --purge.');
  if (purge && [since, options.calls].some((chosen) => chosen !== undefined))
    throw usageError('--purge deletes all recorded calls: omit --since and --calls.');
  const config = readConfig(process.env);
  if (against !== undefined) await compare(config, { ...options, against, since: since ?? '24h' }, signal);
  else if (purge) await purgeCalls(config, signal);
  else {
    const file = save === true ? undefined : save;
    await saveCalls(config, { file, since: sinceTime(since ?? '14d') }, signal);
  }
}

async function compare(
  config: Config,
  options: ReplayOptions & Readonly<Record<'against' | 'since', string>>,
  signal: AbortSignal,
): Promise<void> {
  const since = sinceTime(options.since);
  const [after, before] = [
    await loadProjectEndpoints(config),
    await loadOtherVersion(config.project.folder, options.against, process.env),
  ];
  const inFile = options.calls === undefined ? undefined : await readCallsFile(options.calls);
  const sources = ['external', 'own', 'temporary'] as const;
  const report = await withServer(config, { sources, demoData: true, signal }, async (server) =>
    withCallTools(server.admin, config, signal, async ({ client, ...runner }): Promise<ReplayReport> => {
      const recorded = inFile ?? (await readRecordedCalls(client, since, signal));
      const calls = recorded.filter(({ omitted }) => omitted === '');
      if (calls.length === 0) throw noCalls(options);
      const progress = new Progress({ phase: 'replaying', done: 0, total: calls.length });
      const log = replayLog(config, server);
      const now = new Date();
      let done = 0;
      try {
        const replay = await replayCalls(calls, {
          ...runner,
          now: () => now,
          budgetMs: options.budget * 1000,
          versionsOf: (name) => ({ before: before.find(name), after: after.find(name) }),
          onRan: log.note,
          onReplayed: ({ call }) => {
            progress.update({ phase: `replaying ${call.endpoint}`, done: (done += 1) });
          },
        });
        const changed = changedEndpoints(before, after);
        return { ...replay, recorded, changed, budgetMs: options.budget * 1000, against: options.against };
      } finally {
        progress.end();
        await log.close();
      }
    }),
  );
  process.stdout.write(FORMATS[options.format](report));
  if (isFailure(report, options.failOn)) process.exitCode = EXIT.failed;
}

/** Names of the endpoints that only one version has, or whose definitions differ in a way that affects results. */
function changedEndpoints(before: EndpointRegistry, after: EndpointRegistry): readonly string[] {
  const names = new Set([...before.all(), ...after.all()].map(({ name }) => name));
  return [...names].filter((name) => factsOf(before.find(name)) !== factsOf(after.find(name))).sort();
}

function factsOf(endpoint: Endpoint | undefined): string {
  return endpoint ? JSON.stringify([endpoint.digest, rowCap(endpoint), [...endpoint.parameters]]) : '';
}

async function readCallsFile(file: string): Promise<readonly RecordedCall[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`--calls ${file} cannot be read: ${(cause as Error).message}`, EXIT.failed, {
      cause,
    });
  });
  return parseRecordedCalls(text, file);
}

function noCalls({ calls, since }: ReplayOptions): CommandError {
  return new CommandError(
    calls === undefined
      ? `No calls were recorded since ${since}: run the gateway with RECORD_CALLS=on, or choose another --since.`
      : `${calls} has no call that can be replayed.`,
    EXIT.failed,
  );
}

function isFailure({ endpoints }: ReplayReport, { differs, errors, slower }: Partial<FailOn> = {}): boolean {
  return endpoints.map(tallyOf).some(({ differs: different, error, clickhouseMs: { before, after } }) => {
    const isSlower = slower !== undefined && after > before * slower && after - before > SLOWER_MS;
    return [differs === true && different > 0, errors === true && error > 0, isSlower].includes(true);
  });
}

/** The queries of a replay in the request log, where the gateway of the configuration writes one. */
function replayLog(
  config: Config,
  { source, admin }: CommandServer,
): { readonly note: (endpoint: string, cost: QueryCost) => void; readonly close: () => Promise<void> } {
  const { clickhouse } = config;
  const account =
    clickhouse.kind === 'external'
      ? clickhouse.log
      : source === 'own' && config.requestLog
        ? admin
        : undefined;
  const log = openRequestLog(
    account ? [{ ...account, url: admin.url }] : [],
    { recordsCalls: false },
    {
      logger: createLogger('error', false),
      clock: () => new Date(),
    },
  );
  return {
    note: (endpoint, cost) => log?.noteBackground({ purpose: 'replay', endpoint, cost: new Figures(cost) }),
    close: async () => log?.close(),
  };
}

const HELP = `
--against names the version before, and the project the one after: --against main for a change that is not merged yet. Calls run in
pairs with the same time and the same pinned parameters, the most used first, until the budget is spent. A difference counts where
both versions return their rows again. The calls of 14 days are recorded where the gateway runs with
RECORD_CALLS=on, with the parameters of callers: keep a file of --save as safe as the data. Of a call with a secret parameter there
is only how often it was made. Nothing is written but rows of the request log, where the gateway writes one.

Examples:
  querygate replay --against main
  querygate replay --against origin/main --since 7d --budget 300 --format markdown --fail-on differs,errors,slower=1.5
  querygate replay --save calls.ndjson --since 7d
  querygate replay --against ../deployed --calls calls.ndjson

Exit codes: 0 replayed; 1 failed, or a reason of --fail-on; 2 invalid usage; 130 or 143 ended by a signal.`;
