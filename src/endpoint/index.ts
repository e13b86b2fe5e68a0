/** All that an endpoint's file needs: what it imports, and nothing else of the machinery. */
export { column, jsonColumn } from './definition.js';
export { defineEndpoint } from './endpoint.js';
export { oneOf, regularExpression, text, textList, timestamp } from './parameters.js';
export { equalTo, groupsByDay, keyEqualTo } from './groups-by-day.js';
export {
  all,
  choose,
  is,
  isHeld,
  isOmitted,
  matches,
  not,
  part,
  preferRollup,
  sql,
  whenGiven,
  where,
  withParts,
} from './sql.js';
export type { Condition, Filter, Part, Reference, Sql } from './sql.js';
