import { Reference } from './sql.js';

/** The gateway's clock for `build`: a `DateTime64(6, 'UTC')` that is bound for each request. */
export const NOW = new Reference<string>('now', "DateTime64(6, 'UTC')");

/** The gateway's own parameters of every call, in the query string. No endpoint can declare them. */
export const CALL_PARAMETERS = [
  'format',
  'download',
  'csv_safe',
  'complete',
  'export',
  'cursor',
  'api_key',
] as const;

/** A parameter of the gateway itself, unless the endpoint declares one of this name. */
export const NUMBERS_PARAMETER = 'numbers';

/** Name of the parameter of later pages. The parameters with the values of the last row begin with it. */
export const AFTER = 'after';

/** Name of the parameter of the LIMIT that the gateway appends to every query. */
export const ROW_LIMIT = 'row_limit';

/** The name under which a caller's SELECT reads the rows of the endpoint. */
export const RESULT = 'result';
