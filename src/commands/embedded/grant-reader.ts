import { readFile } from 'node:fs/promises';
import path from 'node:path';

import type { Endpoint } from '../../endpoint/endpoint.js';
import { ifPresent } from '../../files/if-present.js';
import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import { grantStatement, type Grant } from '../../gateway/analysis/reads/grant.js';
import { neededGrants, type NeededGrants, type Remark } from '../grants/needed-grants.js';
import { grantsInUsersFile, USERS_FILE } from '../grants/reader-user-file.js';
import type { EmbeddedServer } from './embedded-server.js';

/**
 * Gives the read-only user of an embedded server the grants that the endpoints need; with `extend`, existing grants stay. The schema
 * must have been applied. Reports an endpoint whose query cannot be analysed, and gives the grants that are known. Also reports one
 * that reads a system table without a grant in the project's users file, because other tables of that database have the requests
 * of every caller.
 *
 * @param schemaFolder folder of the project's schema files.
 */
export async function grantReader(
  server: EmbeddedServer,
  schemaFolder: string,
  endpoints: readonly Endpoint[],
  { extend = false } = {},
): Promise<NeededGrants> {
  const needed = await readerGrants(server.adminConnection, schemaFolder, endpoints);
  const statements = needed.grants.map((each) => grantStatement(each));
  await (extend ? server.extendGrants(statements) : server.restartWith(statements));
  return needed;
}

/**
 * The grants that {@link grantReader} would give, and its report.
 *
 * @param admin connection of the server's administrator.
 */
export async function readerGrants(
  admin: ClickHouseConnection,
  schemaFolder: string,
  endpoints: readonly Endpoint[],
): Promise<NeededGrants> {
  const needed = await neededGrants(admin, endpoints);
  const text = await ifPresent(readFile(path.join(schemaFolder, USERS_FILE), 'utf8'));
  const inFile = new Set(grantsInUsersFile(text ?? ''));
  const isWithheld = (each: Grant): boolean => isOfSystem(each) && !inFile.has(grantStatement(each));
  const grants = needed.grants.filter((each) => !isWithheld(each));
  const withheld = needed.grants.filter(isWithheld);
  if (withheld.length === 0) return needed;
  const problems = await Promise.all(endpoints.map((endpoint) => withheldFrom(admin, endpoint, withheld)));
  return { ...needed, grants, problems: [...needed.problems, ...problems.flat()] };
}

/** Tables without content, which every user may read. */
const CONSTANT = /^(?:one|(?:numbers|zeros)(?:_mt)?)$/;

const isOfSystem = ({ database, name }: Grant): boolean =>
  /^(?:system|information_schema)$/i.test(database) && !CONSTANT.test(name);

/** What an endpoint lacks. */
async function withheldFrom(
  admin: ClickHouseConnection,
  endpoint: Endpoint,
  withheld: readonly Grant[],
): Promise<readonly Remark[]> {
  const { grants } = await neededGrants(admin, [endpoint]);
  const own = new Set(grants.map((each) => grantStatement(each)));
  return withheld
    .filter((each) => own.has(grantStatement(each)))
    .map((each) => ({
      endpoint: endpoint.name,
      text:
        `reads ${each.database}.${each.name}, a system table that clickhouse-schema/${USERS_FILE} does not grant: if callers may ` +
        `see it, run npx querygate grants --xml --out clickhouse-schema/${USERS_FILE}`,
    }));
}
