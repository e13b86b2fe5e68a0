/**
 * What clocks in a time zone show, as the milliseconds since 1970 of the same date and time in UTC. NaN where no calendar has it.
 *
 * @param time milliseconds since 1970
 * @param zone IANA name
 */
export function wallTimeOf(time: number, zone: string): number {
  if (zone === 'UTC' || !Number.isFinite(new Date(time).getTime())) return time;
  const shown: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(time)) shown[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
  const seconds =
    new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1000;
  return seconds + (((time % 1000) + 1000) % 1000);
}

/**
 * When clocks in a time zone show a time. Of two such moments the first; where clocks skip the time, as long after the skip begins as
 * it is after the last time that they show.
 *
 * @param wall milliseconds since 1970, as {@link wallTimeOf} returns them
 */
export function instantOf(wall: number, zone: string): number {
  if (zone === 'UTC' || !Number.isFinite(new Date(wall).getTime())) return wall;
  const [before, after] = [wall - DAY, wall + DAY].map((near) => wall - (wallTimeOf(near, zone) - near)) as [
    number,
    number,
  ];
  const [first] = [before, after].sort((a, b) => a - b).filter((time) => wallTimeOf(time, zone) === wall);
  return first ?? before;
}

const DAY = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, calendar: 'iso8601', hourCycle: 'h23' },
    ...{
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    },
  });
  formats.set(timeZone, format);
  return format;
}
