/**
 * Codes of errors that ClickHouse finds when it analyses a query, regardless of the rows and the values of the request: an unknown name,
 * types that do not fit, a missing right. Their messages name parts of the definition.
 */
const OF_THE_DEFINITION: ReadonlySet<string> = new Set(
  [
    [8, 10, 15, 16, 47, 51, 52, 352], // columns
    [60, 63, 46, 81, 181, 497], // tables, functions, databases, FINAL, rights
    [62, 179, 174, 182, 184, 206, 207, 215, 353, 417, 418, 446, 456, 498, 703], // syntax, aliases, GROUP BY
    [34, 35, 42, 43, 50, 121, 133, 258, 309, 377, 378, 386, 403, 596], // types and arguments
  ]
    .flat()
    .map(String),
);

/** Whether the text of the query causes an error of this code. */
export const isOfDefinition = (code: string): boolean => OF_THE_DEFINITION.has(code);
