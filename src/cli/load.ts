import { SingleBar } from 'cli-progress';
import { Command } from 'commander';

import { withAdminConnection } from '../admin-connection.js';
import { connectClickHouse } from '../clickhouse/connection.js';
import { readConfig } from '../config/config.js';
import { loadFile } from '../loading/load-file.js';
import type { LoadProgress, LoadReport } from '../loading/load-report.js';
import { runCommand } from './run-command.js';

/** Refused lines that are told one by one; of more, only how many. */
const TOLD_REFUSALS = 100;

interface Options {
  readonly shiftToNow?: boolean;
}

async function load(table: string, source: string, { shiftToNow = false }: Options): Promise<void> {
  const config = readConfig(process.env);
  await withAdminConnection(config, async (connection) => {
    const client = connectClickHouse(connection, { maxOpenConnections: 4, requestTimeoutMs: 600_000 });
    const progress = createProgress();
    let refused = 0;
    try {
      const report = await loadFile({
        client,
        table,
        source,
        stdin: process.stdin,
        shiftToNow,
        now: new Date(),
        onProgress: progress.show,
        onRefused: (line, reason) => {
          refused += 1;
          if (refused <= TOLD_REFUSALS) progress.say(`line ${line}: ${reason}`);
        },
      });
      progress.end();
      tell(report, shiftToNow);
    } finally {
      progress.end();
      await client.close();
      // Left open, it would keep the process alive after an error.
      process.stdin.destroy();
    }
  });
}

function tell({ loaded, refused, olderThanRetention }: LoadReport, shiftToNow: boolean): void {
  if (refused > TOLD_REFUSALS) process.stderr.write(`… and ${refused - TOLD_REFUSALS} more lines\n`);
  process.stdout.write(`${loaded} lines loaded, ${refused} refused\n`);
  if (olderThanRetention > 0) {
    const hint = shiftToNow ? '' : '; --shift-to-now moves them to the present';
    process.stderr.write(
      `${olderThanRetention} are older than 90 days, and ClickHouse will drop them${hint}\n`,
    );
  }
  if (refused > 0) process.exitCode = 1;
}

interface ProgressDisplay {
  readonly show: (progress: LoadProgress) => void;
  readonly say: (line: string) => void;
  readonly end: () => void;
}

/** A bar on a terminal; elsewhere nothing but what was refused. */
function createProgress(): ProgressDisplay {
  const bar = new SingleBar({
    format: '{phase} [{bar}] {percentage}% | {megabytes} MB | {loaded} lines',
    hideCursor: true,
    clearOnComplete: true,
    stream: process.stderr,
    noTTYOutput: false,
  });
  let phase: string | undefined;
  return {
    show: (progress) => {
      if (!process.stderr.isTTY) return;
      const total = progress.bytesTotal ?? progress.bytesRead;
      const details = {
        phase: progress.phase,
        megabytes: (progress.bytesRead / 1e6).toFixed(1),
        loaded: progress.loaded,
      };
      if (phase !== progress.phase) bar.start(total, 0, details);
      phase = progress.phase;
      bar.setTotal(total);
      bar.update(progress.bytesRead, details);
    },
    say: (line) => {
      if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
      process.stderr.write(`${line}\n`);
    },
    end: () => {
      bar.stop();
    },
  };
}

await new Command('load')
  .description(
    'Loads NDJSON (plain or gzip) into a table; refused lines are told by number, the rest is loaded.',
  )
  .argument('<table>', 'such as edge_logs')
  .argument('<file>', 'a path, or - for standard input')
  .option('--shift-to-now', 'move all timestamps so that the newest is now')
  .addHelpText(
    'after',
    '\nExit code: 0 when every line was loaded, 1 when any was refused or loading failed.',
  )
  .action((table: string, file: string, options: Options) => runCommand(() => load(table, file, options)))
  .parseAsync();
