import { drawBelow, drawLogNormal, drawPosition, literals, RECORD_ID, type Shared } from './draws.js';
import { jsonText, type JsonShape } from './json-text.js';
import { traffic } from './traffic.js';

/** A line that a source writes; in its message, `:id` stands for a number and `:ms` for a duration. */
interface LogLine extends Shared {
  readonly level: string;
  readonly message: string;
}

interface LineLog {
  readonly table: string;
  readonly usual: readonly LogLine[];
  /** What it writes instead while an incident hits it. */
  readonly failing: readonly LogLine[];
  readonly levelColumn?: 'level' | 'severity';
  /** SQL of further names, for `metadata` and `ownColumns`. */
  readonly given?: string;
  /** What `metadata` holds beside the level. */
  readonly metadata: JsonShape;
  /** Columns that this table alone has, made by `given`. */
  readonly ownColumns?: readonly string[];
  /** Moments looked at. */
  readonly recent: number;
}

/** SQL that fills the logs of a source which writes lines, not answers to requests. */
export function fillLineLog(log: LineLog): string {
  const { table, usual, failing, levelColumn = 'level', given, metadata, ownColumns = [], recent } = log;
  const lines = [...usual, ...failing];
  const columns = ['id', 'project', 'timestamp', 'event_message', 'metadata', levelColumn, ...ownColumns];
  return `
INSERT INTO ${table} (${columns.join(', ')})
WITH ${given ? `${given},` : ''}
  if(failing,
     ${usual.length} + ${drawPosition(failing, 'failing line')},
     ${drawPosition(usual, 'usual line')}) AS line,
  ${literals(lines.map(({ level }) => level))}[line] AS level,
  ${literals(lines.map(({ message }) => message))}[line] AS message,
  toString(1000 + ${drawBelow(90_000, 'number')}) AS number,
  toString(round(${drawLogNormal('60', '1', 'duration')}, 1)) AS duration
SELECT
  ${RECORD_ID},
  project,
  timestamp,
  replaceOne(replaceOne(message, ':id', number), ':ms', duration),
  ${jsonText({ level: 'level', ...metadata })},
  ${['level', ...ownColumns].join(', ')}
FROM ${traffic(table, { recent })}`;
}
