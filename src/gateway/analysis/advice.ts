import type { ClickHouseError } from '@clickhouse/client';

import type { Place } from '../../endpoint/sql-file/select/select-text.js';
import type { SqlFile } from '../../endpoint/sql-file/parse-sql-file.js';

/** Advice for the author of a `.sql` file about an error of ClickHouse. */
export interface Advice {
  /** Place of the mistake, where ClickHouse does not report it. */
  readonly place?: Place | undefined;
  /** Message that replaces ClickHouse's own. Absent where ClickHouse's message is clear. */
  readonly message?: string;
  /** What to write instead. Completes the message. */
  readonly advice: string;
}

/** Finds the advice for a mistake that authors make often. @param at the place that ClickHouse names */
type Rule = (error: ClickHouseError, file: SqlFile, at: Place | undefined) => Advice | undefined;

/** Rules by ClickHouse's error code. */
const RULES: Readonly<Partial<Record<string, Rule>>> = {
  47: (error, file, at) => foreignPlaceholder(file, at) ?? missingFrom(error, file),
  53: typesThatDoNotCompare,
  62: (_error, file, at) => foreignPlaceholder(file, at),
  184: aggregateOutOfPlace,
  215: ungroupedColumn,
  386: typesThatDoNotCompare,
  440: limitWithoutNumber,
};

/** Advice on an error. Undefined where there is none. @param at the place that ClickHouse names; undefined where it names none */
export function adviceOn(error: ClickHouseError, file: SqlFile, at: Place | undefined): Advice | undefined {
  return RULES[error.code]?.(error, file, at);
}

/** Placeholders of other systems: `?`, `$1`, `:name`. */
function foreignPlaceholder({ source }: SqlFile, at: Place | undefined): Advice | undefined {
  const [written, name = 'name'] =
    /^(?:\?|\$\d+|[:$](\w+))/.exec(source.slice(at?.start ?? source.length)) ?? [];
  return written === undefined
    ? undefined
    : { advice: `; a parameter is written @${name}, and declared in the header, not ${written}` };
}

function missingFrom({ message }: ClickHouseError, file: SqlFile): Advice | undefined {
  const hasNone = message.includes('does not have the FROM clause') || !/\bFROM\b/i.test(selectOf(file));
  return hasNone ? { advice: '; the query has no FROM: name the table of the column' } : undefined;
}

function ungroupedColumn({ message }: ClickHouseError, file: SqlFile): Advice | undefined {
  const name = /Column [`']([^`']+)[`']/.exec(message)?.[1]?.split('.').at(-1);
  if (name === undefined) return undefined;
  return {
    place: wordIn(file, name),
    message: `the column ${name} is neither in GROUP BY nor aggregated`,
    advice: `: add it to GROUP BY, or write, for example, any(${name})`,
  };
}

/** Advice for an aggregate out of place. In ClickHouse an alias applies to the whole SELECT, so it can hide a column of the same name. */
function aggregateOutOfPlace({ message }: ClickHouseError, file: SqlFile): Advice | undefined {
  const [, written, alias, where] =
    /Aggregate function (.+?)(?: AS [`"]?(\w+)[`"]?)? is found (?:in (\w+(?: BY)?)|inside another aggregate function) in query/.exec(
      message,
    ) ?? [];
  if (written === undefined) return undefined;
  const name = /^\w+/.exec(written)?.[0] ?? '';
  const place = where ?? 'another aggregate function';
  if (alias === undefined)
    return {
      place: wordIn(file, name),
      message: `${place} cannot contain the aggregate ${name}`,
      advice: where === 'WHERE' ? ': write the condition in HAVING' : ': use a subquery',
    };
  const found = new RegExp(String.raw`\bAS\s+[\`"]?(${alias})\b`, 'id').exec(selectOf(file))?.indices?.[1];
  return {
    place: found && { start: file.selectStart + found[0], end: file.selectStart + found[1] },
    message: `${alias} is ${name}(…) in ${place} too, because its alias hides a column of that name`,
    advice: `: call it ${name.toLowerCase()}_${alias}, or name the column with its table, as in t.${alias}`,
  };
}

function typesThatDoNotCompare({ message }: ClickHouseError, file: SqlFile): Advice | undefined {
  const [, name, type] = /\b__table\d+\.(\w+) (\w+(?:\([^)]*\))*)/.exec(message) ?? [];
  if (name === undefined || type === undefined) return undefined;
  const column = String.raw`\b${name}\b`;
  const comparison = String.raw`\s*(?:==?|!=|<>|<=?|>=?|NOT\s+IN|IN)\s*\(?\s*`;
  const placeholder = String.raw`(?:@\w+|\{\s*\w+\s*:[^}]*\})`;
  const compared = new RegExp(
    `${column}${comparison}(${placeholder})|(${placeholder})${comparison}${column}`,
    'id',
  );
  const [start, end] =
    compared
      .exec(selectOf(file))
      ?.indices?.slice(1)
      .find((found) => found !== undefined) ?? [];
  return {
    place:
      start === undefined || end === undefined
        ? wordIn(file, name)
        : { start: file.selectStart + start, end: file.selectStart + end },
    message: `${name} is ${type}, which does not compare with the other value`,
    advice: ': declare the parameter with a kind of that type, or convert one of both',
  };
}

function limitWithoutNumber(_error: ClickHouseError, file: SqlFile): Advice {
  const found = /(?<=\bLIMIT\s+)(?:@\w+|\{\s*\w+\s*:[^}]*\}|'[^']*')/i.exec(selectOf(file));
  const start = file.selectStart + (found?.index ?? 0);
  return {
    place: found ? { start, end: start + found[0].length } : undefined,
    message: 'LIMIT needs a whole number in every call',
    advice: ': declare the parameter as kind integer, with a default or required',
  };
}

const selectOf = ({ source, selectStart }: SqlFile): string => source.slice(selectStart);

/** First place of a word in the SELECT. */
function wordIn(file: SqlFile, word: string): Place | undefined {
  if (!/^\w+$/.test(word)) return undefined;
  const index = selectOf(file).search(new RegExp(String.raw`(?<![\w@])${word}\b`));
  return index === -1
    ? undefined
    : { start: file.selectStart + index, end: file.selectStart + index + word.length };
}
