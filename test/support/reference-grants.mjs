import { readFileSync } from 'node:fs';

const USERS_FILE = new URL('../../clickhouse-schema/users.d/querygate.xml', import.meta.url);

/** The rights of the reference project's read-only user: a test compares this file with what the endpoints need. */
export const REFERENCE_GRANTS = [...readFileSync(USERS_FILE, 'utf8').matchAll(/<query>(.*)<\/query>/g)].map(
  ([, grant = '']) => grant,
);
