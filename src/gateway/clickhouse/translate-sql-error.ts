import { ClickHouseError } from '@clickhouse/client';

import type { Failure } from '../errors.js';
import { isOfDefinition } from './definition-errors.js';
import { sqlProblem } from '../query/validate-parameters.js';
import { isErrorOfServer, translateClickHouseError } from './translate-error.js';

/**
 * Problems of a caller's own SQL by ClickHouse's error code. Text of ClickHouse is not passed on, except the name of
 * an unknown column, which the caller wrote.
 */
const PROBLEMS: Readonly<Partial<Record<string, string>>> = {
  1: 'uses a feature that ClickHouse does not support there',
  6: 'parses text that is not a valid value of the type',
  12: 'passes a function a parameter that is out of range',
  20: 'compares different numbers of columns',
  27: 'parses text that is not a valid value of the type',
  // Also raised when a shard ends in the middle of a query, but text that ends too early is far more frequent here.
  32: 'parses text that is not a valid value of the type',
  35: 'passes a function too few arguments',
  36: 'passes a function or clause an invalid value',
  38: 'parses text that is not a valid date',
  41: 'parses text that is not a valid time',
  42: 'passes a function the wrong number of arguments',
  43: 'passes a function an argument of an unsupported type',
  44: 'passes a function a column instead of a constant, or a constant instead of a column',
  46: 'calls an unknown function',
  47: 'names an unknown column',
  48: 'uses a feature that ClickHouse does not implement there',
  50: 'names an unknown type',
  53: 'has values, or queries in a UNION, of incompatible types',
  59: 'has a condition that is not a boolean',
  62: 'is not a statement that ClickHouse can parse',
  69: 'passes a function a value that is out of range',
  70: 'converts a value to a type that cannot represent it',
  72: 'parses text that is not a valid number',
  117: 'parses text that is not a valid value of the type',
  125: 'has a scalar subquery that returns more than one row',
  128: 'creates an array that is too large',
  131: 'creates text that is too long',
  135: 'uses 0 as an index; the first index is 1',
  153: 'divides by zero',
  162: 'is nested too deeply',
  167: 'is nested too deeply',
  168: 'is too long',
  179: 'gives two expressions the same name',
  182: 'has a PREWHERE, which only tables support',
  184: 'has an aggregate function where none is allowed',
  190: 'has arrays of different lengths where their lengths must be equal',
  207: 'uses an ambiguous name',
  215: 'has a column that is neither aggregated nor in GROUP BY',
  258: 'has queries in a UNION that return different columns',
  306: 'is nested too deeply',
  349: 'converts NULL to a type that is not Nullable',
  376: 'parses text that is not a valid UUID',
  386: 'has values of types without a common type',
  403: 'has a JOIN condition that ClickHouse does not support',
  407: 'converts a decimal to a type that cannot represent it',
  440: 'has an invalid LIMIT or OFFSET',
  467: 'parses text that is not a valid boolean',
  475: 'has an invalid WITH FILL',
  675: 'parses text that is not a valid IP address',
  676: 'parses text that is not a valid IP address',
  691: 'converts a value to an enum that does not contain it',
  718: 'is nested too deeply',
};

/** BAD_QUERY_PARAMETER: a value that is none of the type with which the query names it. */
const BAD_PARAMETER = '457';

/**
 * Whether an error names something that is wrong with a query and its values, which is the same each time. Any other one passes: a
 * quota, too many queries, memory, a shard that is away.
 */
export function isRejectionOfQuery(error: ClickHouseError): boolean {
  const { code } = error;
  if (isOfDefinition(code) || code === BAD_PARAMETER) return true;
  return PROBLEMS[code] !== undefined && !isErrorOfServer(error);
}

/** Translates a failed query with a caller's own SQL into the failure that the caller sees. */
export function translateSqlError(error: unknown): Failure {
  if (!(error instanceof ClickHouseError)) return translateClickHouseError(error);
  const { code, message } = error;
  if (code === '427')
    return sqlProblem(
      'contains a regular expression, in its text or in a parameter, that RE2 cannot compile',
      error,
    );
  const problem = PROBLEMS[code];
  if (problem === undefined) return translateClickHouseError(error);
  const name =
    code === '47'
      ? /^Unknown (?:expression )?(?:or [a-z ]+)?identifier `([\w.]{1,80})`/.exec(message)?.[1]
      : undefined;
  return sqlProblem(name === undefined ? problem : `${problem}: ${name}`, error);
}
