import type { Server } from 'node:http';

import type { Config } from '../config/config.js';
import { RecentTimeouts } from '../http/sql/recent-timeouts.js';
import { createSqlListener, type SqlParts } from '../http/sql/sql-listener.js';
import { drain } from '../http/transport/drain.js';
import { createHttpServer } from '../http/transport/server.js';
import type { OnClose } from './closers.js';
import { createLog, type LoggedParts } from './create-listener.js';
import { listen } from './listen.js';

/** The dependencies of a listener. */
export interface ListeningParts {
  readonly config: Config;
  /** Called with the server, whose connections are counted. */
  readonly onListening: (server: Server) => unknown;
}

/** Opens the listener on which endpoints are tables, where it is configured; returns its URL. */
export async function openSql(
  parts: Omit<SqlParts, 'log' | 'limits' | 'recentTimeouts' | 'maxStatementBytes'> &
    LoggedParts &
    ListeningParts & { readonly maxRangedBytes: number },
  onClose: OnClose,
): Promise<string | undefined> {
  const { config, onListening, logger } = parts;
  if (!config.sql) return undefined;
  const { maxRows, ...where } = config.sql;
  const log = createLog(parts);
  const limits = { maxRows, timeoutMs: config.queryTimeoutMs };
  // This limit applies without Redis too, because that many bytes of each running statement stay in memory.
  const maxStatementBytes = Math.min(parts.maxRangedBytes, config.cache.maxSharedBytes);
  const listener = createSqlListener({
    ...{ log, limits, maxStatementBytes, recentTimeouts: new RecentTimeouts(parts.clock) },
    ...parts,
  });
  const server = createHttpServer(listener, logger, { maxConnections: config.maxConnections });
  onListening(server);
  const url = await listen(server, where);
  onClose(
    async (drainMs) => {
      await drain(server, drainMs);
      log.reportAll();
    },
    { name: 'SQL listener', drains: true },
  );
  return url;
}
