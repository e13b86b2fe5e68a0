import { IN_FORMS, IN_TABLES, SUBQUERY_POSITIONS } from './attempts/clauses.js';
import { FORBIDDEN_CALLS } from './attempts/functions.js';
import { SHADOWING } from './attempts/names.js';
import { SIZES } from './attempts/sizes.js';
import { CLAUSES, STATEMENTS } from './attempts/statements.js';
import { TABLE_FUNCTIONS, TABLE_POSITIONS, WHOLE_TABLES } from './attempts/tables.js';

const fill = (templates: readonly string[], values: readonly string[], hole: string): readonly string[] =>
  templates.flatMap((template) => values.map((value) => template.replaceAll(hole, () => value)));

const SECRETS = 'SELECT event_message FROM edge_logs';

/** Attempts that are rejected before any query runs, by kind. */
export const REJECTED: Readonly<Record<string, readonly string[]>> = {
  'another table': fill(TABLE_POSITIONS, WHOLE_TABLES, '$'),
  'a table function': fill(TABLE_POSITIONS, TABLE_FUNCTIONS, '$'),
  'a subquery in a clause': fill(SUBQUERY_POSITIONS, [SECRETS], '@'),
  'the dummy table system.one': fill(SUBQUERY_POSITIONS, ['SELECT dummy FROM system.one'], '@'),
  'a table to the right of IN': fill(IN_FORMS, IN_TABLES, '$'),
  'a function that is not on the list': fill(['SELECT $ AS x'], FORBIDDEN_CALLS, '$'),
  'another statement': STATEMENTS,
  'another clause': CLAUSES,
  'a name that shadows another': SHADOWING,
  'a statement over a size limit': SIZES,
};
