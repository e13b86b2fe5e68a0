import type { Sample } from '../loading/infer-columns.js';
import { loadFile, type LoadOptions as LoadFileOptions } from '../loading/load-file.js';
import type { LoadProgress, LoadReport } from '../loading/load-report.js';
import { formatOfName, type SourceFormat } from '../loading/source-format.js';
import { readConfig } from '../../gateway/config/config.js';
import { withClient } from '../clickhouse/with-client.js';
import { withServer } from '../clickhouse/with-server.js';
import { EXIT } from './exit-codes.js';
import { endpointName } from '../introspect/names.js';
import { createTable, prepareCreation, rejectTableName } from './load/create-table.js';
import { Progress, type ProgressState } from './progress.js';
import { interruptible } from './run-command.js';

/** Rejected lines that are reported one by one; further lines are only counted. */
const REPORTED_REJECTIONS = 100;
/** Unknown fields that are reported by name; --json has more. */
const REPORTED_FIELDS = 20;
const REQUEST_TIMEOUT_MS = 600_000;

export interface LoadFlags {
  readonly shiftToNow?: boolean;
  readonly strict?: boolean;
  readonly json?: boolean;
  /** Format of the file; absent: by its name. */
  readonly format?: SourceFormat;
  /** Whether the table is created, with columns inferred from the file. */
  readonly create?: boolean;
}

/** Loads a file or standard input into a table and prints how many lines were loaded and rejected. */
export async function runLoad(
  table: string,
  source: string,
  options: LoadFlags,
  signal: AbortSignal,
): Promise<void> {
  const { shiftToNow = false, strict = false, create = false, format = formatOfName(source) } = options;
  if (create) rejectTableName(table);
  const config = readConfig(process.env);
  await withServer(config, { sources: ['external', 'own'], signal }, async ({ admin: connection }) => {
    const progress = new Progress({ phase: 'loading', done: 0, total: 0 });
    const report = await withClient(connection, REQUEST_TIMEOUT_MS, (client) =>
      interruptible(signal, async () => {
        const input = { client, table, source, format, shiftToNow, strict };
        if (!create) return loadInto(input, progress);
        const creation = { config, connection, client, table, source, format };
        await prepareCreation(creation);
        const createFrom = async (sample: Sample): Promise<void> => {
          progress.printLine(`created ${await createTable(creation, sample)}`);
        };
        return loadInto({ ...input, createTable: createFrom }, progress);
      }).finally(() => {
        progress.end();
        // An open standard input would keep the process alive after an error.
        process.stdin.destroy();
      }),
    );
    print(report, options);
    if (create) process.stderr.write(nextStep(table));
  });
}

function loadInto(
  input: Omit<LoadFileOptions, 'stdin' | 'now' | 'onProgress' | 'onRejected'>,
  progress: Progress,
): Promise<LoadReport> {
  let rejected = 0;
  return loadFile({
    ...input,
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
}

/** A name without a letter or digit names no endpoint. */
function nextStep(table: string): string {
  return `Next: npx querygate new ${endpointName(table) || 'rows'} --table ${table}\n`;
}

function stateOf({ phase, bytesRead, bytesTotal, loaded }: LoadProgress): ProgressState {
  return {
    phase,
    done: bytesRead,
    total: bytesTotal ?? bytesRead,
    detail: `| ${(bytesRead / 1e6).toFixed(1)} MB | ${loaded} lines`,
  };
}

function print(report: LoadReport, { shiftToNow = false, json = false }: LoadFlags): void {
  const { loaded, rejected } = report;
  if (rejected > REPORTED_REJECTIONS)
    process.stderr.write(`… and ${countLines(rejected - REPORTED_REJECTIONS, 'more ')}\n`);
  process.stdout.write(
    json
      ? `${JSON.stringify(machineReadable(report))}\n`
      : `${countLines(loaded)} loaded, ${rejected} rejected\n`,
  );
  printUnknownFields(report);
  printExpired(report, shiftToNow);
  if (rejected > 0) process.exitCode = EXIT.failed;
}

function machineReadable({ loaded, rejected, olderThanRetention, unknownFields }: LoadReport): object {
  return {
    loaded,
    // Scripts read the older name `refused`.
    refused: rejected,
    olderThanRetention,
    unknownFields: unknownFields.list(),
  };
}

function printUnknownFields({ unknownFields }: LoadReport): void {
  const fields = unknownFields.list();
  for (const { lines, field } of fields.slice(0, REPORTED_FIELDS)) {
    const have = lines === 1 ? 'has' : 'have';
    process.stderr.write(`${countLines(lines)} ${have} the ${unknownFields.describe(field)}\n`);
  }
  const more = fields.length - REPORTED_FIELDS;
  if (more > 0) process.stderr.write(`… and ${more} more unknown ${more === 1 ? 'field' : 'fields'}\n`);
  if (unknownFields.hasMore)
    process.stderr.write('… and unknown fields with too many or too long names to count\n');
}

function printExpired({ olderThanRetention, ttl }: LoadReport, shiftToNow: boolean): void {
  if (olderThanRetention === 0 || !ttl) return;
  const [are, them] = olderThanRetention === 1 ? ['line is', 'it'] : ['lines are', 'them'];
  const hint = ttl.dependsOnTime && !shiftToNow ? `; --shift-to-now moves ${them} to the present` : '';
  process.stderr.write(
    `${olderThanRetention} ${are} ${ttl.description}; ClickHouse will delete ${them}${hint}\n`,
  );
}

const countLines = (count: number, more = ''): string => `${count} ${more}${count === 1 ? 'line' : 'lines'}`;
