import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

/** The code's root: the folder above this one, which is `dist/` once compiled. */
const codeRoot = path.dirname(here);

/** The project's root, where `clickhouse-schema/` is, compiled or not. */
const projectRoot = existsSync(path.join(codeRoot, 'clickhouse-schema')) ? codeRoot : path.dirname(codeRoot);

/** Folder of the endpoint files. */
export const ENDPOINTS_FOLDER = path.join(codeRoot, 'endpoints');

/** Folder of the built console; none where the gateway runs from its sources. */
export const CONSOLE_FOLDER = codeRoot === projectRoot ? undefined : path.join(codeRoot, 'console');

/** Folder of Swagger UI's files: in its package where the gateway runs from its sources. */
export const SWAGGER_UI_FOLDER =
  codeRoot === projectRoot
    ? path.join(projectRoot, 'node_modules', 'swagger-ui-dist')
    : path.join(codeRoot, 'swagger-ui');

/** Folder of the numbered schema files. */
export const SCHEMA_FOLDER = path.join(projectRoot, 'clickhouse-schema');

/** Folder of the SQL files of the demonstration data. */
export const DEMO_FOLDER = path.join(projectRoot, 'demo');

/** The users file of the read-only ClickHouse user. */
export const READER_USER_FILE = path.join(SCHEMA_FOLDER, 'users.d', 'querygate.xml');

/** What names the gateway's version. */
export const PACKAGE_FILE = path.join(projectRoot, 'package.json');
