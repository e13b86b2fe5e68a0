import { Reference } from './sql.js';

/** The gateway's clock as a builder uses it: a `DateTime64(6, 'UTC')` bound for each request. */
export const NOW = new Reference<string>('now', "DateTime64(6, 'UTC')");

/** Name of the bound row limit that the gateway appends to every query. */
export const ROW_LIMIT = 'row_limit';
