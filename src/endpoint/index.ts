/** The public API for endpoint files, and the only module that they may import. */
export { column, jsonColumn } from './definition.js';
export { defineEndpoint } from './endpoint.js';
export { boolean } from './parameters/boolean.js';
export { integer } from './parameters/integer.js';
export { oneOf } from './parameters/one-of.js';
export { regularExpression } from './parameters/regular-expression.js';
export { textList } from './parameters/text-list.js';
export { text } from './parameters/text.js';
export { timestamp } from './parameters/timestamp.js';
export { equalTo, groupsByDay, hasValue, keyOf } from './groups-by-day.js';
export {
  all,
  BARRIER,
  choose,
  is,
  isPinned,
  matches,
  part,
  sql,
  whenGiven,
  where,
  withParts,
} from './sql.js';
export type { Filter, Part, Reference, Sql } from './sql.js';
