import { ClickHouseError } from '@clickhouse/client';

import type { Failure } from '../errors.js';
import { isOfDefinition } from './definition-errors.js';
import { sqlProblem } from '../query/validate-parameters.js';
import { SQL_PROBLEMS } from './sql-problems.js';
import { isErrorOfServer, translateClickHouseError } from './translate-error.js';

/** Code of BAD_QUERY_PARAMETER: the value does not have the type that the query states for it. */
const BAD_PARAMETER = '457';

/**
 * Whether a query and its values cause an error, so that it is the same each time. Other errors pass: a quota, too many queries, memory, an
 * unreachable shard.
 */
export function isRejectionOfQuery(error: ClickHouseError): boolean {
  const { code } = error;
  if (isOfDefinition(code) || code === BAD_PARAMETER) return true;
  return SQL_PROBLEMS[code] !== undefined && !isErrorOfServer(error);
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
  const problem = SQL_PROBLEMS[code]?.[1];
  if (problem === undefined) return translateClickHouseError(error);
  const name =
    code === '47'
      ? /^Unknown (?:expression )?(?:or [a-z ]+)?identifier `([\w.]{1,80})`/.exec(message)?.[1]
      : undefined;
  return sqlProblem(name === undefined ? problem : `${problem}: ${name}`, error);
}
