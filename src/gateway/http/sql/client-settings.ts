import type { StatementOutput } from '../../query/ports.js';
import { treatmentOf } from '../../tables/settings.js';
import { CODES, StatementProblem } from '../../tables/statement.js';

/** Formats that are not supported, because they need a separate file or the protocol of another database. */
const NOT_HERE = /^(?:Template\w*|Protobuf\w*|CapnProto|MySQLWire|PostgreSQLWire|HiveText|RawBLOB)$/i;
/** Formats that report how many rows were read. */
const OF_PROGRESS = /WithProgress$/i;

/** Formats that report the number of rows before a LIMIT. */
const WITH_ROWS_BEFORE_LIMIT = /^(?:JSON(?!\w*EachRow)\w*|XML)$/i;

/** The choices of a client for a statement. */
export interface ClientSettings {
  /** Id that the client chose for the statement. */
  readonly queryId: string | undefined;
  /** Maximum rows of the result. */
  readonly maxRows: number;
  readonly timeoutMs: number;
  /** Whether the response consists of ClickHouse's compressed frames. */
  readonly isFramed: boolean;
  /** Whether the response may be compressed by `Accept-Encoding`. */
  readonly isHttpCompressed: boolean;
  /** Time zone of the session, where it is not UTC, for which endpoints are written; else undefined. */
  readonly zone: string | undefined;
  /** Chooses the output. @param format format in the statement @throws StatementProblem */
  readonly output: (format: string | undefined) => StatementOutput;
}

/** The bounds of a client's settings. */
export interface SettingBounds {
  readonly maxRows: number;
  readonly timeoutMs: number;
  /** Whether the key has pins: figures must not reveal rows that the key may not read. */
  readonly isPinned: boolean;
}

/**
 * Reads the settings of a request and those at the end of its statement, which take precedence.
 *
 * @throws StatementProblem for a setting that would make the result differ from what the client expects
 */
export function readClientSettings(
  options: ReadonlyMap<string, string>,
  inStatement: ReadonlyMap<string, string>,
  { maxRows, timeoutMs, isPinned }: SettingBounds,
): ClientSettings {
  for (const name of options.keys()) if (treatmentOf(name) === 'refuse') throw refused(name);
  for (const name of inStatement.keys()) requireKnown(name);
  const all = new Map([...options, ...inStatement]);
  const isFramed = all.get('compress') === '1';
  const wanted = numberOf(all, 'max_result_rows', Infinity);
  // ClickHouse breaks only between blocks, and would return more rows than requested. So the cap becomes a limit.
  const isCut = all.get('result_overflow_mode') === 'break' && wanted < Infinity;
  const settings = {
    ...passedOf(all),
    ...(isCut && { limit: String(Math.min(wanted, numberOf(all, 'limit', Infinity))) }),
    ...(isPinned && { output_format_write_statistics: 0, exact_rows_before_limit: 0 }),
  };
  const zone = all.get('session_timezone');
  return {
    queryId: all.get('query_id'),
    maxRows: isCut ? maxRows : Math.min(maxRows, wanted),
    timeoutMs: Math.min(timeoutMs, numberOf(all, 'max_execution_time', Infinity) * 1000),
    isFramed,
    isHttpCompressed: !isFramed && all.get('enable_http_compression') !== '0',
    zone: isUtc(zone) ? undefined : zone,
    output: (own) => {
      const format = own ?? textOf(all.get('default_format'), 'TabSeparated');
      requireFormat(format, { isPinned, isFramed });
      const hidesRowsBeforeLimit = isPinned && WITH_ROWS_BEFORE_LIMIT.test(format);
      return { format, settings, isFramed, hidesRowsBeforeLimit };
    },
  };
}

/** The settings for ClickHouse. With `client_protocol_version`, newer clients get further parts of the native format. */
function passedOf(all: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const passed = [...all].filter(
    ([name, value]) => (treatmentOf(name) === 'pass' && !isUtcZone(name, value)) || isVersion(name, value),
  );
  return Object.fromEntries(passed);
}

const isVersion = (name: string, value: string): boolean =>
  name === 'client_protocol_version' && /^\d{1,9}$/.test(value);

/** Whether a zone is UTC, for which endpoints are written; a session without a zone uses UTC. */
const isUtc = (zone = ''): boolean => zone === '' || zone === 'UTC';
const isUtcZone = (name: string, value: string): boolean => name === 'session_timezone' && isUtc(value);

const textOf = (value = '', otherwise: string): string => (value === '' ? otherwise : value);

function requireKnown(name: string): void {
  const treatment = treatmentOf(name);
  if (treatment === 'refuse' || treatment === 'protocol') throw refused(name);
  if (treatment !== undefined) return;
  throw new StatementProblem(
    CODES.UNKNOWN_SETTING,
    `The setting ${name.slice(0, 80)} is not available here. Remove it: SELECT name FROM system.settings lists those that are.`,
  );
}

function refused(name: string): StatementProblem {
  return new StatementProblem(
    CODES.READONLY,
    `The setting ${name.slice(0, 80)} is not available here: the result would not be the one that it asks for. Remove it.`,
  );
}

function requireFormat(
  format: string,
  { isPinned, isFramed }: Pick<SettingBounds, 'isPinned'> & Pick<ClientSettings, 'isFramed'>,
): void {
  const isHidden =
    isPinned && (OF_PROGRESS.test(format) || (isFramed && WITH_ROWS_BEFORE_LIMIT.test(format)));
  if (/^\w+$/.test(format) && !NOT_HERE.test(format) && !isHidden) return;
  const name = format.slice(0, 80);
  throw new StatementProblem(
    CODES.UNKNOWN_FORMAT,
    `The format ${name} is not available here. SELECT name FROM system.formats WHERE is_output lists formats.`,
  );
}

/** The number in a setting. @param otherwise value of an absent setting, and of 0, which means no limit @throws StatementProblem */
function numberOf(all: ReadonlyMap<string, string>, name: string, otherwise: number): number {
  const number = Number(all.get(name) ?? 0);
  if (Number.isFinite(number) && number >= 0) return number === 0 ? otherwise : number;
  throw new StatementProblem(CODES.CANNOT_PARSE_NUMBER, `The setting ${name} is not a number of at least 0.`);
}
