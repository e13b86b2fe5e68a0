/** All that an endpoint's file needs: what it imports, and nothing else of the machinery. */
export { column, jsonColumn } from './definition.js';
export { defineEndpoint } from './endpoint.js';
export { oneOf, regularExpression, text, textList, timestamp } from './parameters.js';
export { all, choose, is, isHeld, part, sql, whenGiven, where, withParts } from './sql.js';
export type { Part, Reference, Sql } from './sql.js';
