/** User and database that functions about the session return. */
export interface ClientNames {
  readonly user: string;
  readonly database: string;
}

const EXACT: Readonly<Record<string, keyof ClientNames | 'server'>> = {
  ...{ currentUser: 'user', currentDatabase: 'database' },
  ...{ displayName: 'server', hostName: 'server', hostname: 'server' },
};
const IN_ANY_CASE: Readonly<Record<string, keyof ClientNames>> = {
  ...{ user: 'user', current_user: 'user', session_user: 'user' },
  ...{ database: 'database', current_database: 'database', schema: 'database' },
};

/** Constant that replaces a call without arguments. Undefined for a function that ClickHouse runs. */
export function constantOf(name: string, { user, database }: ClientNames): string | undefined {
  const what = EXACT[name] ?? IN_ANY_CASE[name.toLowerCase()];
  return what && { user, database, server: 'querygate' }[what];
}
