import type { ClickHouseConfig, Config } from '../../gateway/config/config.js';
import type { OwnServer, OwnServerOptions } from '../../gateway/server/own-server.js';
import { prepareDatabase } from '../demo-data/prepare-database.js';
import type { NeededGrants } from '../grants/needed-grants.js';
import { EmbeddedServer } from './embedded-server.js';
import { grantReader } from './grant-reader.js';

/** Milliseconds of a migration that the log should explain: with much data it takes minutes. */
const SLOW_MIGRATION_MS = 2000;

/** Starts an embedded server with the schema, the rights to query it and, if configured, demonstration data. */
export async function openOwnServer(
  { dataDir, project }: Config,
  { database, demoData }: Extract<ClickHouseConfig, { kind: 'embedded' }>,
  { endpoints, logger, clock }: OwnServerOptions,
): Promise<OwnServer> {
  const { schemaFolder, demoFolder } = project;
  const server = await EmbeddedServer.start({
    dataDir,
    database,
    onCrash: (lastWords) => {
      logger.error('the embedded ClickHouse exited and is restarted', { lastWords });
    },
  });
  const warnOf = ({ problems, warnings }: NeededGrants): void => {
    for (const { endpoint, text: problem } of [...problems, ...warnings]) {
      logger.warn('the embedded ClickHouse may deny the queries of an endpoint', { endpoint, problem });
    }
  };
  try {
    await prepareDatabase(server.adminConnection, {
      schemaFolder,
      demo: demoData ? { folder: demoFolder, upTo: clock() } : undefined,
      onApplied: (file, ms) => {
        const log = ms < SLOW_MIGRATION_MS ? logger.debug : logger.info;
        log.call(logger, 'schema applied', { file, ms: Math.round(ms) });
      },
      onFilled: (ms) => {
        logger.info('demonstration data created', { ms: Math.round(ms) });
      },
    });
    warnOf(await grantReader(server, schemaFolder, endpoints));
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    adminConnection: server.adminConnection,
    readerConnection: server.readerConnection,
    prepareFor: async (changed) => {
      if (changed.length > 0) warnOf(await grantReader(server, schemaFolder, changed, { extend: true }));
    },
    stop: () => server.stop(),
  };
}
