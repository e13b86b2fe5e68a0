import { Writable } from 'node:stream';
import winston from 'winston';

import { isoTime } from './iso-time.js';

const { combine, timestamp, json, colorize, printf } = winston.format;
const JSON_LINE = combine(timestamp(), json());

/** Structured fields of a log line. */
export type Fields = Readonly<Record<string, unknown>>;

/** The logger of all parts of the gateway. */
export interface Logger {
  readonly error: (message: string, fields?: Fields) => void;
  readonly warn: (message: string, fields?: Fields) => void;
  readonly info: (message: string, fields?: Fields) => void;
  readonly debug: (message: string, fields?: Fields) => void;
  /** Logs a finished request. */
  readonly request: (level: RequestLevel, fields: Fields) => void;
}

export type RequestLevel = 'error' | 'info' | 'debug';

/** A destination of log lines. */
export interface LineSink {
  readonly write: (line: string) => void;
}

/**
 * Creates a logger that writes to standard output.
 *
 * @param level the least severe level that is written.
 * @param readable writes text for a terminal instead of JSON lines.
 */
export function createLogger(level: string, readable: boolean): Logger {
  const format = readable ? combine(timestamp(), colorize(), printf(readableLine)) : JSON_LINE;
  const logger = loggerOf(winston.createLogger({ level, format }).add(new winston.transports.Console()));
  const request = (at: RequestLevel, fields: Fields): void => {
    logger[at]('request', fields);
  };
  return { ...logger, request };
}

/**
 * Creates a logger of JSON lines. The line of a request has the same form, but does not pass through winston: its streams would
 * cost more than all other work for a cache hit.
 *
 * @param level the least severe level that is written.
 */
export function createLineLogger(level: string, sink: LineSink): Logger {
  const stream = new Writable({
    decodeStrings: false,
    write: (line: string, _encoding, done) => {
      sink.write(line);
      done();
    },
  });
  const transport = new winston.transports.Stream({ stream });
  const logger = winston.createLogger({ level, format: JSON_LINE }).add(transport);
  const enabled = new Set((['error', 'info', 'debug'] as const).filter((at) => logger.isLevelEnabled(at)));
  const request = (at: RequestLevel, fields: Fields): void => {
    if (enabled.has(at)) sink.write(requestLine(at, fields));
  };
  return { ...loggerOf(logger), request };
}

function loggerOf(logger: winston.Logger): Omit<Logger, 'request'> {
  // winston would format lines of disabled levels too.
  const write = (at: 'error' | 'warn' | 'info' | 'debug'): Logger['info'] =>
    logger.isLevelEnabled(at) ? (message, fields) => void logger[at](message, fields) : () => undefined;
  return { error: write('error'), warn: write('warn'), info: write('info'), debug: write('debug') };
}

/** @param fields must not be empty. */
function requestLine(level: RequestLevel, fields: Fields): string {
  const rest = JSON.stringify(fields).slice(1);
  return `{"level":"${level}","message":"request","timestamp":"${isoTime(Date.now())}",${rest}\n`;
}

function readableLine({ timestamp, level, message, ...fields }: winston.Logform.TransformableInfo): string {
  const time = String(timestamp).slice(11, 23);
  const details = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [time, level, String(message), ...details].join('  ');
}

/** Describes an error as fields of a log line: message, type, code and stack of the error and of its cause. */
export function describeError(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: String(error) };
  const { message, stack, cause } = error;
  const type = 'type' in error ? error.type : undefined;
  const code = 'code' in error ? error.code : undefined;
  return { error: message, type, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) };
}
