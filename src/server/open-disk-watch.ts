import { DiskWatch } from '../scheduler/disk-watch.js';
import { createDiskProbe } from '../clickhouse/disk-space.js';
import type { Logger } from '../observability/logger.js';
import type { OpenServer } from './open-clickhouse.js';
import { steadyClock } from './steady-clock.js';

/** Watches the disks of all servers, and logs when one becomes full and when it has room again. */
export function openDiskWatch(servers: readonly OpenServer[], logger: Logger): DiskWatch {
  return new DiskWatch(
    servers.map(({ name, client }) => ({ name, probeDisk: createDiskProbe(client) })),
    {
      clock: steadyClock,
      onChange: (server, isFull, space) => {
        const fields = { server, ...space };
        if (isFull)
          logger.error('the disk of ClickHouse is full: it serves queries, but cannot write', fields);
        else logger.info('the disk of ClickHouse has room again', fields);
      },
    },
  );
}
