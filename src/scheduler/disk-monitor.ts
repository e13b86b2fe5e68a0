import type { Clock } from '../query/ports.js';

/** The disk of a server; bytes. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface MonitoredDisk {
  /** Host and port of the server. */
  readonly name: string;
  /** Reads its disk space; a rejection leaves what was known. */
  readonly probeDisk: (signal: AbortSignal) => Promise<DiskSpace>;
}

export interface DiskMonitorOptions {
  readonly clock: Clock;
  /** Called once a change. */
  readonly onChange: (server: string, isFull: boolean, space: DiskSpace) => void;
}

/** Less than a large part of a MergeTree table takes, but of a small disk only a part. */
const FULL_BYTES = 64 * 1024 * 1024;
const FULL_SHARE = 0.05;
const PROBE_MS = 1000;
/** Readiness needs no key: however often it is requested, ClickHouse runs one query a second for it. */
const REUSE_MS = 1000;

/** Knows which ClickHouse servers have a full disk. It probes only when it is called: a paused service stays paused. */
export class DiskMonitor {
  private readonly full = new Set<string>();
  private probing: Promise<void> | undefined;
  private probedAt = -Infinity;

  constructor(
    private readonly disks: readonly MonitoredDisk[],
    private readonly options: DiskMonitorOptions,
  ) {}

  /** Whether the disk of any server is full; where a server does not say, as it was when it last did. Never rejects. */
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
