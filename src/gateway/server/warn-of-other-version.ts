import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import type { Project } from '../config/project.js';
import type { Logger } from '../observability/logger.js';
import { readVersion } from '../../package-files.js';

/**
 * Warns where the project has another version of this package installed: an editor then shows the types of that version,
 * but endpoint files get this one.
 */
export function warnOfOtherVersion({ endpointsFolder }: Project, logger: Logger): void {
  const running = readVersion();
  const installed = installedVersion(endpointsFolder);
  if (installed === undefined || installed === running) return;
  logger.warn(
    'the project has another version of querygate in node_modules; its endpoints get the running one',
    {
      running,
      installed,
      fix: `install querygate-${running}.tgz in the project, or run npx querygate there`,
    },
  );
}

/** The version of the package that an import in the folder would load; undefined where it is not installed. */
function installedVersion(folder: string): string | undefined {
  try {
    const file = createRequire(path.join(folder, 'endpoint.js')).resolve('querygate/package.json');
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: string }).version;
  } catch {
    return undefined;
  }
}
