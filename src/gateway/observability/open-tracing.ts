import { readFileSync } from 'node:fs';

import { PACKAGE_FILE } from '../../package-files.js';
import type { Tracing, TracingConfig } from './tracing.js';

/**
 * Starts tracing. The OpenTelemetry packages are optional, because they are as large as all others together.
 *
 * @throws Error with the command that installs missing packages.
 */
export async function openTracing(config: TracingConfig): Promise<Tracing> {
  const loaded = await import('./tracing.js').catch((error: unknown) => {
    throw isMissing(error) ? new Error(missingPackages(), { cause: error }) : error;
  });
  return new loaded.Tracing(config);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/** The command that installs them. It needs `--save-prod`, because npm would omit packages that are development dependencies too. */
function missingPackages(): string {
  const { peerDependencies } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
  };
  const packages = Object.entries(peerDependencies).map(([name, version]) => `${name}@${version}`);
  return (
    'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the OpenTelemetry packages are not installed. Run: ' +
    `npm install --no-save --save-prod --omit=dev ${packages.join(' ')}`
  );
}
