import winston from 'winston';

/** Structured fields of a log line. */
export type Fields = Readonly<Record<string, unknown>>;

/** The logger of all parts of the gateway. */
export interface Logger {
  readonly error: (message: string, fields?: Fields) => void;
  readonly warn: (message: string, fields?: Fields) => void;
  readonly info: (message: string, fields?: Fields) => void;
  readonly debug: (message: string, fields?: Fields) => void;
}

/**
 * Creates a logger that writes to standard output.
 *
 * @param level the least severe level that is written.
 * @param readable writes text for a terminal instead of JSON lines.
 */
export function createLogger(level: string, readable: boolean): Logger {
  const { combine, timestamp, json, colorize, printf } = winston.format;
  const format = readable
    ? combine(timestamp(), colorize(), printf(readableLine))
    : combine(timestamp(), json());
  const logger = winston.createLogger({ level, format }).add(new winston.transports.Console());
  // winston would format lines of disabled levels too, which costs time for every request.
  const write = (at: keyof Logger): Logger[keyof Logger] =>
    logger.isLevelEnabled(at) ? (message, fields) => void logger[at](message, fields) : () => undefined;
  return { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') };
}

function readableLine({ timestamp, level, message, ...fields }: winston.Logform.TransformableInfo): string {
  const time = String(timestamp).slice(11, 23);
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [time, level, String(message), ...details].join('  ');
}

/** Describes an error as fields of a log line: message, type, code and stack, and the same of its cause. */
export function describeError(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: String(error) };
  const { message, stack, cause } = error;
  const type = 'type' in error ? error.type : undefined;
  const code = 'code' in error ? error.code : undefined;
  return { error: message, type, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) };
}
