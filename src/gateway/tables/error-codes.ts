/** Numbers of errors, as ClickHouse's `system.errors` has them. */
export const CODES = {
  NOT_IMPLEMENTED: 48,
  UNKNOWN_TABLE: 60,
  SYNTAX_ERROR: 62,
  UNKNOWN_DATABASE: 81,
  READONLY: 164,
  AMBIGUOUS_IDENTIFIER: 207,
  ACCESS_DENIED: 497,
} as const;
