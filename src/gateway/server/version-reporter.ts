import type { Fields } from '../observability/logger.js';
import { NO_VERSIONS, type DataVersions } from '../query/data-versions.js';
import type { OpenCache } from './open-cache.js';
import type { OpenClickHouse } from './open-clickhouse.js';
import { openVersions, type OpenVersions } from './open-versions.js';
import type { ExecutionParts } from './shared-parts.js';

/** Maximum number of warnings of a process. */
const MAX_REPORTED = 1000;

/** Opens the data versions, and logs the endpoints whose data has no version. */
export class VersionReporter {
  private readonly open: OpenVersions | undefined;
  private readonly reported = new Set<string>();

  constructor(
    private readonly source: OpenClickHouse['versions'] = { reason: 'nothing reads versions' },
    private readonly parts: ExecutionParts,
    cache: OpenCache,
  ) {
    const { metrics, clock } = parts;
    if ('reason' in source) return;
    this.open = openVersions(source, {
      shared: cache.versionsOf(source.url),
      onRead: () => {
        metrics.count('table_version_reads_total', {});
      },
      onNoVersion: this.warn,
      onNoPieces: this.warnOfPieces,
      clock,
    });
  }

  get dataVersions(): DataVersions {
    return this.open?.dataVersions ?? NO_VERSIONS;
  }

  /** Warns of endpoints that are to be cached until their data changes, but cannot. Never rejects. */
  readonly report = async (): Promise<void> => {
    const { source } = this;
    const endpoints = this.parts.endpoints.all().filter(({ settings }) => settings.untilChanged);
    for (const endpoint of endpoints) {
      const reason = 'reason' in source ? source.reason : await this.open?.reasonOf(endpoint);
      if (reason !== undefined) this.warn(endpoint.name, reason);
      const ofPieces = await this.open?.reasonOfPieces(endpoint);
      if (ofPieces !== undefined) this.warnOfPieces(endpoint.name, ofPieces);
    }
  };

  readonly close = async (): Promise<void> => {
    await this.open?.close();
  };

  private readonly warn = (name: string, reason: string): void => {
    const seconds = this.parts.endpoints.find(name)?.settings.caching;
    this.warnOnce('the data of an endpoint has no version: its results are cached for seconds', {
      ...{ endpoint: name, seconds, reason },
    });
  };

  private readonly warnOfPieces = (endpoint: string, reason: string): void => {
    this.warnOnce('the results of an endpoint cannot be composed of pieces: each comes from one query', {
      ...{ endpoint, reason },
    });
  };

  private warnOnce(message: string, fields: Fields): void {
    // Warnings that differ in numbers only are logged once.
    const line = JSON.stringify([message, fields]).replaceAll(/\d+/g, '0');
    if (this.reported.has(line) || this.reported.size >= MAX_REPORTED) return;
    this.reported.add(line);
    this.parts.logger.warn(message, fields);
  }
}
