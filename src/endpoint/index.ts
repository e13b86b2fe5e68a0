/** All that an endpoint's file needs: what it imports, and nothing else of the machinery. */
export { column, jsonColumn } from './definition.js';
export { defineEndpoint } from './endpoint.js';
export { oneOf, regularExpression, text, textList, timestamp } from './parameters.js';
export { equalTo, groupsByDay, hasValue, keyOf } from './groups-by-day.js';
export {
  all,
  BARRIER,
  choose,
  is,
  isPinned as isHeld,
  matches,
  part,
  sql,
  whenGiven,
  where,
  withParts,
} from './sql.js';
export type { Filter, Part, Reference, Sql } from './sql.js';
