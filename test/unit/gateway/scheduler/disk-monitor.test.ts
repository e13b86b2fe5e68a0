import { DiskMonitor, type DiskSpace } from '../../../../src/gateway/scheduler/disk-monitor.js';
import { SettableClock } from '../../../support/settable-clock.js';

const GB = 1_000_000_000;

/** A server whose disk space a test sets. */
class Disk {
  probes = 0;
  freeBytes: number | undefined = 50 * GB;
  totalBytes = 100 * GB;

  constructor(readonly name: string) {}

  readonly probeDisk = (): Promise<DiskSpace> => {
    this.probes += 1;
    const { freeBytes, totalBytes } = this;
    if (freeBytes === undefined) return Promise.reject(new Error('no response'));
    return Promise.resolve({ freeBytes, totalBytes });
  };
}

const monitorOf = (
  ...disks: readonly Disk[]
): { readonly monitor: DiskMonitor; readonly time: SettableClock; readonly changes: unknown[] } => {
  const time = new SettableClock();
  const changes: unknown[] = [];
  const onChange = (server: string, isFull: boolean): void => void changes.push([server, isFull]);
  return { monitor: new DiskMonitor(disks, { clock: time.clock, onChange }), time, changes };
};

describe('DiskMonitor', () => {
  it('reports each change once, with the server', async () => {
    const [one, other] = [new Disk('one'), new Disk('other')];
    const { monitor, time, changes } = monitorOf(one, other);
    expect(await monitor.hasFullDisk()).toBe(false);
    other.freeBytes = 0;
    time.advance(1000);
    expect(await monitor.hasFullDisk()).toBe(true);
    time.advance(1000);
    expect(await monitor.hasFullDisk()).toBe(true);
    other.freeBytes = GB;
    time.advance(1000);
    expect(await monitor.hasFullDisk()).toBe(false);
    expect(changes).toEqual([
      ['other', true],
      ['other', false],
    ]);
  });

  it.each([
    [100 * GB, 64 * 1024 * 1024, false],
    [100 * GB, 64 * 1024 * 1024 - 1, true],
    [100_000_000, 5_000_000, false],
    [100_000_000, 4_999_999, true],
  ])(
    'with a disk of %i bytes, %i of them free, reports a full disk: %p',
    async (totalBytes, freeBytes, expected) => {
      const disk = Object.assign(new Disk('one'), { totalBytes, freeBytes });
      expect(await monitorOf(disk).monitor.hasFullDisk()).toBe(expected);
    },
  );

  it('probes once for all calls within a second', async () => {
    const disk = new Disk('one');
    const { monitor, time } = monitorOf(disk);
    await Promise.all([monitor.hasFullDisk(), monitor.hasFullDisk()]);
    time.advance(999);
    await monitor.hasFullDisk();
    expect(disk.probes).toBe(1);
    time.advance(1);
    await monitor.hasFullDisk();
    expect(disk.probes).toBe(2);
  });

  it('keeps the last known state while a server does not respond', async () => {
    const disk = new Disk('one');
    disk.freeBytes = 0;
    const { monitor, time, changes } = monitorOf(disk);
    await monitor.hasFullDisk();
    disk.freeBytes = undefined;
    time.advance(1000);
    expect(await monitor.hasFullDisk()).toBe(true);
    expect(changes).toEqual([['one', true]]);
  });

  it('does not probe before it is called', () => {
    const disk = new Disk('one');
    monitorOf(disk);
    expect(disk.probes).toBe(0);
  });
});
