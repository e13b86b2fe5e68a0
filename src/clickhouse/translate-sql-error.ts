import { ClickHouseError } from '@clickhouse/client';

import type { Failure } from '../errors.js';
import { sqlFault } from './describe-columns.js';
import { translateClickHouseError } from './translate-error.js';

/**
 * What a caller's own SQL did wrong, by ClickHouse's error number. The names in braces of ClickHouse's text are not
 * passed on, but for that of a column or function that is not there, which the caller wrote.
 */
const PROBLEMS: Readonly<Partial<Record<string, string>>> = {
  1: 'uses what ClickHouse does not support there',
  6: 'turns text into a value that it is not',
  12: 'gives a function a parameter out of its bounds',
  20: 'compares different numbers of columns',
  27: 'turns text into a value that it is not',
  // Of a shard that ends in the middle of a query too; texts that end too early are far more frequent here.
  32: 'turns text into a value that it is not',
  35: 'gives a function too few arguments',
  36: 'gives a function or clause a value that it does not take',
  38: 'turns text into a date that it is not',
  41: 'turns text into a time that it is not',
  42: 'gives a function the wrong number of arguments',
  43: 'gives a function an argument of a type that it does not take',
  44: 'gives a function a column where it takes a constant, or the reverse',
  46: 'calls a function that is not there',
  47: 'names a column that is not there',
  48: 'uses what ClickHouse does not have there',
  50: 'names a type that is not there',
  53: 'has values, or queries in a UNION, that do not fit together',
  59: 'has a condition that is no condition',
  62: 'is not a statement that ClickHouse can parse',
  69: 'gives a function a value out of its bounds',
  70: 'turns a value into a type that cannot hold it',
  72: 'turns text into a number that it is not',
  117: 'turns text into a value that it is not',
  125: 'has a scalar subquery that gives more than one row',
  128: 'makes an array that is too large',
  131: 'makes text that is too long',
  135: 'has an index that is zero',
  153: 'divides by zero',
  162: 'is nested too deeply',
  167: 'is nested too deeply',
  168: 'is too long',
  179: 'gives one name to two expressions',
  182: 'has a PREWHERE, which works on tables alone',
  184: 'has an aggregate function where none can be',
  190: 'has arrays of different lengths where they must be of one',
  207: 'uses a name that means two things',
  215: 'has a column that is neither aggregated nor grouped by',
  258: 'has queries in a UNION that give different columns',
  306: 'is nested too deeply',
  349: 'turns a NULL into a value that cannot be one',
  376: 'turns text into a UUID that it is not',
  386: 'has values of types that have none in common',
  403: 'joins on a condition that cannot be joined on',
  407: 'turns a decimal into one that cannot hold it',
  440: 'has a LIMIT or OFFSET that is none',
  467: 'turns text into a boolean that it is not',
  475: 'has a WITH FILL that cannot be filled',
  675: 'turns text into an IP address that it is not',
  676: 'turns text into an IP address that it is not',
  691: 'turns a value into an enum that does not have it',
};

/** What a failure of a query with a caller's own SQL means to that caller. */
export function translateSqlError(error: unknown): Failure {
  if (!(error instanceof ClickHouseError)) return translateClickHouseError(error);
  const { code, message } = error;
  if (code === '427')
    return sqlFault('has a regular expression that RE2 does not compile, or a parameter has', error);
  const problem = PROBLEMS[code];
  if (problem === undefined) return translateClickHouseError(error);
  const name =
    code === '47'
      ? /^Unknown (?:expression )?(?:or [a-z ]+)?identifier `([\w.]{1,80})`/.exec(message)?.[1]
      : undefined;
  return sqlFault(name === undefined ? problem : `${problem}: ${name}`, error);
}
