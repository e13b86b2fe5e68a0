/** Address, user and database of a ClickHouse server. */
export interface ClickHouseConnection {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

/** Address, settings and headers for queries to a server. */
export interface QueryTarget {
  readonly isSecure: boolean;
  readonly host: string;
  /** Port. Empty for the default of the protocol. */
  readonly port: string;
  /** Path of ClickHouse's HTTP interface. */
  readonly path: string;
  /** Settings of every query, and its database. */
  readonly search: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads a connection like the ClickHouse client. Its URL may contain credentials, the database as its path, and in the query string
 * `pathname`, `access_token`, settings (`ch_…`, `clickhouse_setting_…`) and headers (`http_header_…`).
 */
export function queryTargetOf({ url, username, password, database }: ClickHouseConnection): QueryTarget {
  const inUrl = new URL(url);
  const { protocol, hostname, port, pathname, searchParams } = inUrl;
  const withPrefix = (prefix: RegExp): readonly [string, string][] =>
    [...searchParams]
      .filter(([name]) => prefix.test(name))
      .map(([name, value]) => [name.replace(prefix, ''), value]);
  const token = searchParams.get('access_token');
  const user =
    inUrl.username === ''
      ? [username, password]
      : [inUrl.username, inUrl.password].map((text) => decodeURIComponent(text));
  return {
    isSecure: protocol === 'https:',
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    // Percent-encoded and from the root, like the client sends it.
    path: new URL(`/${(searchParams.get('pathname') ?? '').replace(/^\/+/, '')}`, inUrl.origin).pathname,
    search: new URLSearchParams([
      ['database', pathname.length > 1 ? pathname.slice(1) : database],
      ...withPrefix(/^(?:ch|clickhouse_setting)_/),
    ]).toString(),
    headers: {
      ...Object.fromEntries(withPrefix(/^http_header_/)),
      'User-Agent': 'querygate',
      Authorization:
        token === null ? `Basic ${Buffer.from(user.join(':')).toString('base64')}` : `Bearer ${token}`,
    },
  };
}
