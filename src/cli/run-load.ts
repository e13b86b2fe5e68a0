import { connectClickHouse, type ClickHouseConnection } from '../clickhouse/connection.js';
import { loadFile } from '../clickhouse/loading/load-file.js';
import type { LoadProgress, LoadReport } from '../clickhouse/loading/load-report.js';
import { readConfig } from '../config/config.js';
import { withAdminConnection } from './admin-connection.js';
import { EXIT } from './exit-codes.js';
import { Progress, type ProgressState } from './progress.js';
import { interruptible } from './run-command.js';

/** Refused lines that are told one by one; of more, only how many. */
const REPORTED_REJECTIONS = 100;

/** The options of `querygate load`, as commander has them. */
export interface LoadOptions {
  readonly shiftToNow?: boolean;
  readonly json?: boolean;
}

/** Loads a file or standard input into a table, and tells how much of it. */
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
      // Left open, it would keep the process alive after an error.
      process.stdin.destroy();
    }
  });
}

async function loadInto(
  connection: ClickHouseConnection,
  what: { readonly table: string; readonly source: string; readonly shiftToNow: boolean },
  progress: Progress,
): Promise<LoadReport> {
  const client = connectClickHouse(connection, { maxOpenConnections: 4, requestTimeoutMs: 600_000 });
  let refused = 0;
  try {
    return await loadFile({
      ...what,
      client,
      stdin: process.stdin,
      now: new Date(),
      onProgress: (reached) => {
        progress.update(stateOf(reached));
      },
      onRejected: (line, reason) => {
        refused += 1;
        if (refused <= REPORTED_REJECTIONS) progress.say(`line ${line}: ${reason}`);
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
  const { loaded, rejected: refused, olderThanRetention } = report;
  if (refused > REPORTED_REJECTIONS)
    process.stderr.write(`… and ${refused - REPORTED_REJECTIONS} more lines\n`);
  process.stdout.write(
    json
      ? `${JSON.stringify({ loaded, refused, olderThanRetention })}\n`
      : `${loaded} lines loaded, ${refused} refused\n`,
  );
  if (olderThanRetention > 0) {
    const hint = shiftToNow ? '' : '; --shift-to-now moves them to the present';
    process.stderr.write(
      `${olderThanRetention} are older than 90 days, and ClickHouse will drop them${hint}\n`,
    );
  }
  if (refused > 0) process.exitCode = EXIT.failed;
}
