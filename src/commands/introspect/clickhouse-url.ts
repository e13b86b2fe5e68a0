import type { ClickHouseConnection } from '../../gateway/clickhouse/connection.js';
import type { Environment } from '../../gateway/config/project.js';
import { usageError } from '../cli/exit-codes.js';

/** The values of `--user` and `--password`. */
export interface UserOptions {
  readonly user?: string | undefined;
  readonly password?: string | undefined;
}

/**
 * The connection that a URL, options and the environment name, in this order: `https://reader:secret@clickhouse:8443/shop`.
 * Its URL contains neither the user nor the password nor the database.
 *
 * @throws CommandError (invalid usage) without a part of the URL, which can contain a password
 */
export function connectionOf(
  text: string,
  { user, password }: UserOptions,
  environment: Environment,
): ClickHouseConnection {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw usageError(
      '--from must be a URL of ClickHouse’s HTTP interface, such as http://127.0.0.1:8123/shop or https://clickhouse:8443/shop',
    );
  }
  const [database = '', ...more] = decode(url.pathname.slice(1)).split('/');
  if (more.join('') !== '' || url.search !== '' || url.hash !== '') {
    throw usageError('--from must have at most a database after the host, as in http://127.0.0.1:8123/shop');
  }
  return {
    url: url.origin,
    username: user ?? firstOf(decode(url.username), environment['CLICKHOUSE_USER'], 'default'),
    password: password ?? firstOf(decode(url.password), environment['CLICKHOUSE_PASSWORD'], ''),
    database: firstOf(database, environment['CLICKHOUSE_DATABASE'], 'default'),
  };
}

/** The first text that is not empty, else the last. */
const firstOf = (...texts: readonly (string | undefined)[]): string =>
  texts.find((text) => text !== undefined && text !== '') ?? '';

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw usageError(
      '--from contains a % that encodes no character. Write a % in a name or password as %25.',
    );
  }
}
