import { isGone, removalNote } from '../../endpoint/deprecation.js';
import type { Endpoint } from '../../endpoint/endpoint.js';
import type { Endpoints } from '../../endpoint/registry.js';
import { mayCallWithPins } from '../auth/pinned-parameters.js';
import type { Principal } from '../auth/principal.js';
import { missingParameters } from './arguments.js';
import type { EndpointTable } from './catalogue.js';
import { findMetadata } from './metadata-part.js';
import type { StatementContext } from './read-statement.js';
import { unknownDatabase } from './resolve-name.js';
import type { TableNames } from './statement.js';
import { DATABASE, tableName } from './table-name.js';

/** The endpoints that a key can read as tables. */
export interface KeyTables {
  readonly listed: readonly EndpointTable[];
  /** Endpoints by table name, in the form `querygate.NAME`. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Endpoints that were removed, by the same name. Undefined where there are none. */
  readonly gone?: ReadonlyMap<string, Endpoint>;
}

/** Cached tables by the array of served endpoints, because a reload replaces that array, and by principal. */
const known = new WeakMap<readonly Endpoint[], WeakMap<Principal, KeyTables>>();

/** Tables of a key: endpoints with `tables: true` that the key may call, without removed ones. @param now milliseconds since 1970 */
export function tablesOf(endpoints: Endpoints, principal: Principal, now: number): KeyTables {
  const all = endpoints.all();
  const byPrincipal = known.get(all) ?? new WeakMap<Principal, KeyTables>();
  const found = byPrincipal.get(principal) ?? readTables(all, principal);
  known.set(all, byPrincipal.set(principal, found));
  if (!found.listed.some(({ endpoint }) => isGone(endpoint, now))) return found;
  const gone = new Map([...found.endpoints].filter(([, endpoint]) => isGone(endpoint, now)));
  const left = all.filter((endpoint) => !isGone(endpoint, now));
  return { gone, ...readTables(left, principal) };
}

function readTables(all: readonly Endpoint[], principal: Principal): KeyTables {
  const listed = all
    .filter((endpoint) => endpoint.settings.tables === true && mayCallWithPins(principal, endpoint))
    .map((endpoint) => ({
      ...{ table: tableName(endpoint), endpoint, missing: missingParameters(endpoint, principal) },
      pinned: principal.pinned,
    }));
  return {
    listed,
    endpoints: new Map(listed.map(({ table, endpoint }) => [`${DATABASE}.${table}`, endpoint])),
  };
}

const DATABASES: ReadonlySet<string> = new Set([
  ...[DATABASE, 'system', 'information_schema', 'INFORMATION_SCHEMA'],
]);

/** Tables that a client can name. @param chosen database of unqualified names @throws StatementProblem for an unknown database */
export function namesOf({ endpoints, gone }: KeyTables, chosen = DATABASE): TableNames {
  const standard = chosen === '' || chosen === 'default' ? DATABASE : chosen;
  if (!DATABASES.has(standard)) throw unknownDatabase(standard);
  return {
    isDatabase: (name) => DATABASES.has(name),
    find: (database, table) => {
      const name = `${database ?? standard}.${table}`;
      return endpoints.has(name) ? name : findMetadata(database ?? standard, table);
    },
    all: () => [...endpoints.keys()],
    removal: (database, table) => {
      const endpoint = gone?.get(`${database ?? standard}.${table}`);
      return (
        endpoint &&
        removalNote(endpoint.deprecated, (name) => {
          const successor = tableName({ name });
          return endpoints.has(`${DATABASE}.${successor}`) ? `Read ${successor}` : `Call ${name} over HTTP`;
        })
      );
    },
  };
}

/** Whether the SQL of an endpoint contains a text, so that internal names must not begin with it. */
export const isUsedIn =
  ({ endpoints }: KeyTables): StatementContext['isUsed'] =>
  (text) =>
    [...endpoints.values()].some(({ savedQuery }) => savedQuery.includes(text));
