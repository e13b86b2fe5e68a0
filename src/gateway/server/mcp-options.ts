import { createRequire } from 'node:module';

import type { Config } from '../config/config.js';
import type { McpOptions } from '../http/mcp/mcp-parts.js';
import { isAuthorizationServer } from '../http/mcp/resource-metadata.js';
import { describeError, type Logger } from '../observability/logger.js';
import { MCP_PACKAGE, mcpInstallation } from '../../package-files.js';

/** The options of MCP; undefined where it is disabled, or where its package, an optional dependency, is not installed. */
export function mcpOptions(
  { mcp, tokens, trustProxy }: Pick<Config, 'mcp' | 'tokens' | 'trustProxy'>,
  logger: Logger,
): McpOptions | undefined {
  if (!mcp) return undefined;
  if (!isInstalled()) {
    logger.info('MCP is not offered, because its package is not installed', { install: mcpInstallation() });
    return undefined;
  }
  return {
    maxToolBytes: mcp.maxToolBytes,
    authorizationServer: tokens && isAuthorizationServer(tokens.issuer) ? tokens.issuer : undefined,
    trustProxy,
    onError: (error) => {
      logger.debug('an MCP message failed', describeError(error));
    },
  };
}

/** Whether the package is installed. Does not load it, because that takes 70 ms; the first message loads it. */
function isInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(MCP_PACKAGE);
    return true;
  } catch {
    return false;
  }
}
