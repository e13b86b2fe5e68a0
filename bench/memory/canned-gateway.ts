import { fileURLToPath } from 'node:url';

import { startDeployed } from '../gateway/deployed-gateway.js';
import type { Subject } from '../gateway/subject.js';
import { PROJECT_ROOT, type Environment, type Stage } from '../stage.js';

const CANNED = fileURLToPath(new URL('../servers/canned-clickhouse.js', import.meta.url));
const TARGET = '/api/endpoints/query/functions.invocation-stats?interval=1day&project=';

/** A request whose response has about so many bytes; those with other numbers are other requests. */
export const sizedTarget = (bytes: number, number: number): string => `${TARGET}size-${bytes}-${number}`;

/** A keys file with one key, for all gateways. */
export interface Keys {
  readonly file: string;
  readonly keys: Readonly<Record<'one', string>>;
}

/**
 * Starts a gateway as deployed before a fake ClickHouse that responds at once: ClickHouse itself would take ten minutes
 * for 200,000 queries, and is not measured here.
 */
export async function startBeforeCanned(
  stage: Stage,
  { file: keysFile, keys }: Keys,
  name: string,
  environment: Environment,
): Promise<Omit<Subject, 'targets'>> {
  const { url } = await stage.startModule(CANNED, ['aurora']);
  const connection = { url, username: 'default', password: '', database: 'logs' };
  const clickhouse = { readerConnection: connection, adminConnection: connection };
  const build = {
    label: '',
    folder: PROJECT_ROOT,
    module: ['dist/commands/cli/querygate.js', 'serve'],
    clickhouse,
  };
  const server = await startDeployed({ stage, keysFile }, build, environment);
  return { name, server, headersOf: () => ({ 'X-API-KEY': keys.one }) };
}
