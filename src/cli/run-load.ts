import { connectClickHouse, type ClickHouseConnection } from '../clickhouse/connection.js';
import { loadFile } from '../clickhouse/loading/load-file.js';
import type { LoadProgress, LoadReport } from '../clickhouse/loading/load-report.js';
import { readConfig } from '../config/config.js';
import { withAdminConnection } from './admin-connection.js';
import { EXIT } from './exit-codes.js';
import { Progress, type ProgressState } from './progress.js';
import { interruptible } from './run-command.js';

/** Rejected lines that are reported one by one; further lines are only counted. */
const REPORTED_REJECTIONS = 100;

/** The options of `querygate load`, as commander parses them. */
export interface LoadOptions {
  readonly shiftToNow?: boolean;
  readonly json?: boolean;
}

/** Loads a file or standard input into a table and prints how many lines were loaded and rejected. */
export async function runLoad(
  table: string,
  source: string,
  options: LoadOptions,
  signal: AbortSignal,
): Promise<void> {
  await withAdminConnection(readConfig(process.env), async (connection) => {
    const progress = new Progress({ phase: 'loading', done: 0, total: 0 });
    try {
      const report = await interruptible(signal, () =>
        loadInto(connection, { table, source, shiftToNow: options.shiftToNow ?? false }, progress),
      );
      progress.end();
      print(report, options);
    } finally {
      progress.end();
      // An open standard input would keep the process alive after an error.
      process.stdin.destroy();
    }
  });
}

async function loadInto(
  connection: ClickHouseConnection,
  input: { readonly table: string; readonly source: string; readonly shiftToNow: boolean },
  progress: Progress,
): Promise<LoadReport> {
  const client = connectClickHouse(connection, { maxOpenConnections: 4, requestTimeoutMs: 600_000 });
  let rejected = 0;
  try {
    return await loadFile({
      ...input,
      client,
      stdin: process.stdin,
      now: new Date(),
      onProgress: (reached) => {
        progress.update(stateOf(reached));
      },
      onRejected: (line, reason) => {
        rejected += 1;
        if (rejected <= REPORTED_REJECTIONS) progress.printLine(`line ${line}: ${reason}`);
      },
    });
  } finally {
    await client.close();
  }
}

function stateOf({ phase, bytesRead, bytesTotal, loaded }: LoadProgress): ProgressState {
  return {
    phase,
    done: bytesRead,
    total: bytesTotal ?? bytesRead,
    detail: `| ${(bytesRead / 1e6).toFixed(1)} MB | ${loaded} lines`,
  };
}

function print(report: LoadReport, { shiftToNow = false, json = false }: LoadOptions): void {
  const { loaded, rejected, olderThanRetention } = report;
  if (rejected > REPORTED_REJECTIONS)
    process.stderr.write(`… and ${countLines(rejected - REPORTED_REJECTIONS, 'more ')}\n`);
  process.stdout.write(
    json
      ? // Scripts read the older name `refused`.
        `${JSON.stringify({ loaded, refused: rejected, olderThanRetention })}\n`
      : `${countLines(loaded)} loaded, ${rejected} rejected\n`,
  );
  if (olderThanRetention > 0) {
    const [are, them] = olderThanRetention === 1 ? ['line is', 'it'] : ['lines are', 'them'];
    const hint = shiftToNow ? '' : `; --shift-to-now moves ${them} to the present`;
    process.stderr.write(
      `${olderThanRetention} ${are} older than 90 days; ClickHouse will delete ${them}${hint}\n`,
    );
  }
  if (rejected > 0) process.exitCode = EXIT.failed;
}

const countLines = (count: number, more = ''): string => `${count} ${more}${count === 1 ? 'line' : 'lines'}`;
