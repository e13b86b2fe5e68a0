/** The public API for endpoint files, and the only module that they may import. */
export { column, jsonColumn } from './definition.js';
export { defineEndpoint } from './endpoint.js';
export { boolean } from './parameters/boolean.js';
export { date } from './parameters/date.js';
export { decimal } from './parameters/decimal.js';
export { integer } from './parameters/integer.js';
export { listOf, textList } from './parameters/kinds.js';
export { number } from './parameters/number.js';
export { oneOf } from './parameters/one-of.js';
export { regularExpression } from './parameters/regular-expression.js';
export { text } from './parameters/text.js';
export { timestamp } from './parameters/timestamp.js';
export { timezone } from './parameters/timezone.js';
export { uuid } from './parameters/uuid.js';
export {
  all,
  choose,
  FIRST_ROWS,
  is,
  isOmitted,
  isPinned,
  matches,
  part,
  setting,
  sql,
  whenGiven,
  where,
  withParts,
} from './sql.js';
export type { Condition, Filter, Part, Reference, Sql } from './sql.js';
