import type { Clock } from '../query/ports.js';

/** Disk space of a server, in bytes. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface MonitoredDisk {
  /** Host and port of the server. */
  readonly name: string;
  /** Reads the disk space. If it rejects, the last known state stays. */
  readonly probeDisk: (signal: AbortSignal) => Promise<DiskSpace>;
}

export interface DiskMonitorOptions {
  readonly clock: Clock;
  /** Called once for each change. */
  readonly onChange: (server: string, isFull: boolean, space: DiskSpace) => void;
}

/** Free space below which a disk is full: too little for a large part of a MergeTree table. A share applies to small disks. */
const FULL_BYTES = 64 * 1024 * 1024;
const FULL_SHARE = 0.05;
const PROBE_MS = 1000;
/** Minimum time between two probes: anyone may request readiness without a key, and each probe is a query in ClickHouse. */
const REUSE_MS = 1000;

/** Detects ClickHouse servers with a full disk. It probes only on request, so that an idle cloud service can pause. */
export class DiskMonitor {
  private readonly full = new Set<string>();
  private probing: Promise<void> | undefined;
  private probedAt = -Infinity;

  constructor(
    private readonly disks: readonly MonitoredDisk[],
    private readonly options: DiskMonitorOptions,
  ) {}

  /** Whether the disk of any server is full. A server that does not respond keeps its last known state. Never rejects. */
  async hasFullDisk(): Promise<boolean> {
    if (!this.probing && this.now() - this.probedAt >= REUSE_MS) {
      this.probing = this.probeAll().finally(() => {
        this.probing = undefined;
        this.probedAt = this.now();
      });
    }
    await this.probing;
    return this.full.size > 0;
  }

  private async probeAll(): Promise<void> {
    const signal = AbortSignal.timeout(PROBE_MS);
    await Promise.all(
      this.disks.map(async ({ name, probeDisk }) => {
        const space = await probeDisk(signal).catch(() => undefined);
        if (space) this.note(name, space);
      }),
    );
  }

  private note(name: string, space: DiskSpace): void {
    const isFull = space.freeBytes < Math.min(FULL_BYTES, space.totalBytes * FULL_SHARE);
    if (isFull === this.full.has(name)) return;
    if (isFull) this.full.add(name);
    else this.full.delete(name);
    this.options.onChange(name, isFull, space);
  }

  private now(): number {
    return this.options.clock().getTime();
  }
}
