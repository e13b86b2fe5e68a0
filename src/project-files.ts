import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

/** Root of the code: the project's root, or `dist/` once compiled. */
const codeRoot = path.dirname(here);

/** The project's root, which contains `clickhouse-schema/`. */
const projectRoot = existsSync(path.join(codeRoot, 'clickhouse-schema')) ? codeRoot : path.dirname(codeRoot);

/** Folder of the endpoint files. */
export const ENDPOINTS_FOLDER = path.join(codeRoot, 'endpoints');

/** Folder of the built console; undefined where the gateway runs from its sources. */
export const CONSOLE_FOLDER = codeRoot === projectRoot ? undefined : path.join(codeRoot, 'console');

/** Folder of Swagger UI's files: the npm package where the gateway runs from its sources. */
export const SWAGGER_UI_FOLDER =
  codeRoot === projectRoot
    ? path.join(projectRoot, 'node_modules', 'swagger-ui-dist')
    : path.join(codeRoot, 'swagger-ui');

/** Folder of the numbered schema files. */
export const SCHEMA_FOLDER = path.join(projectRoot, 'clickhouse-schema');

/** Folder of the demonstration data's SQL files. */
export const DEMO_FOLDER = path.join(projectRoot, 'demo');

/** The users file of the read-only ClickHouse user. */
export const READER_USER_FILE = path.join(SCHEMA_FOLDER, 'users.d', 'querygate.xml');

/** The file that contains the gateway's version. */
export const PACKAGE_FILE = path.join(projectRoot, 'package.json');
