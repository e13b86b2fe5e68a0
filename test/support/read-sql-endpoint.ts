import type { Endpoint } from '../../src/endpoint/endpoint.js';
import { parseSqlFile } from '../../src/endpoint/sql-file/parse-sql-file.js';
import { endpointOf } from '../../src/endpoint/sql-file/read-sql-endpoint.js';

/** Reads the text of an endpoint file in SQL. @throws SqlFileError with every mistake and its place */
export const readSqlEndpoint = (source: string): Endpoint => endpointOf(parseSqlFile(source));
