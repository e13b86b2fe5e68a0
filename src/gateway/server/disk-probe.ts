import { createDiskProbe } from '../clickhouse/disk-space.js';
import type { Logger } from '../observability/logger.js';
import { DiskMonitor } from '../scheduler/disk-monitor.js';
import type { OpenServer } from './open-clickhouse.js';
import { steadyClock } from './steady-clock.js';

/** Reads whether the disk of any server is full; logs when one becomes full and when it has space again. */
export function diskProbe(servers: readonly OpenServer[], logger: Logger): () => Promise<boolean> {
  const disks = new DiskMonitor(
    servers.map(({ name, client }) => ({ name, probeDisk: createDiskProbe(client) })),
    {
      clock: steadyClock,
      onChange: (server, isFull, space) => {
        const fields = { server, ...space };
        if (isFull)
          logger.error('the disk of ClickHouse is full: it serves queries, but cannot write', fields);
        else logger.info('the disk of ClickHouse has space again', fields);
      },
    },
  );
  return () => disks.hasFullDisk();
}
