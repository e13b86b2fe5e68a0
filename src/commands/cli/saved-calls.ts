import { timestamp } from '../../endpoint/parameters/timestamp.js';
import { quoteName } from '../../endpoint/quote-sql.js';
import type { Config } from '../../gateway/config/config.js';
import { localName, onCluster, qualified } from '../../gateway/schema/cluster-names.js';
import { replaceFile } from '../../files/replace-file.js';
import { withCallTools, type CallTools } from '../clickhouse/call-tools.js';
import { hasData, withServer } from '../clickhouse/with-server.js';
import { readRecordedCalls, rethrowMissing } from '../replay/recorded-calls.js';
import { CommandError, EXIT, usageError } from './exit-codes.js';

const TABLE = 'querygate_calls';

/**
 * Writes the recorded calls as NDJSON, the most used first.
 *
 * @param file which only its owner can read afterwards; undefined for standard output.
 * @param since of {@link sinceTime}.
 */
export async function saveCalls(
  config: Config,
  { file, since }: { readonly file: string | undefined; readonly since: string },
  signal: AbortSignal,
): Promise<void> {
  const calls = await withCalls(config, signal, (client) => readRecordedCalls(client, since, signal));
  const text = calls.map((call) => `${JSON.stringify(call)}\n`).join('');
  if (file === undefined) process.stdout.write(text);
  else await replaceFile(file, text, 0o600);
}

/** Deletes the recorded calls. */
export async function purgeCalls(config: Config, signal: AbortSignal): Promise<void> {
  const { clickhouse } = config;
  const name = clickhouse.kind === 'external' ? clickhouse.cluster : undefined;
  const cluster = name === undefined ? undefined : { name, database: clickhouse.database };
  const table = cluster ? `${qualified(localName(TABLE), cluster)} ${onCluster(cluster)}` : quoteName(TABLE);
  await withCalls(config, signal, (client) =>
    client.command({ query: `TRUNCATE TABLE ${table}`, abort_signal: signal }).catch(rethrowMissing),
  );
}

/** Runs a task with a client of the ClickHouse that has the recorded calls. @throws CommandError where no calls are recorded yet */
async function withCalls<T>(
  config: Config,
  signal: AbortSignal,
  task: (client: CallTools['client']) => Promise<T>,
): Promise<T> {
  if (config.clickhouse.kind === 'embedded' && !hasData(config.dataDir)) {
    throw new CommandError(
      'There are no recorded calls yet: the gateway creates their table when it starts, and querygate migrate does.',
      EXIT.failed,
    );
  }
  return withServer(config, { sources: ['external', 'own'], signal }, ({ admin }) =>
    withCallTools(admin, config, signal, ({ client }) => task(client)),
  );
}

const SINCE = timestamp({ description: 'How far back.', relativeStep: '1s', empty: 'problem' });

/**
 * The time of an option `--since`, as ClickHouse reads it in UTC: `2026-05-17 10:05:00.000000`.
 *
 * @param since a duration such as `30d`, or a time.
 * @throws CommandError (invalid usage)
 */
export function sinceTime(since: string): string {
  const text = /^\d+[a-zA-Z]+$/.test(since) ? `now-${since}` : since;
  const read = SINCE.read(text, { now: new Date() });
  if ('value' in read) return read.value;
  throw usageError(
    `--since must be a duration such as 30d or 12h, or a time such as 2026-11-30, not ${since}`,
  );
}
