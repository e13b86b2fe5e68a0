/** The zone in which the gateway writes times. */
export const UTC = 'UTC';

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
  formats.set(zone, format);
  return format;
}

/** The offset of a zone at a time, as ISO 8601 writes it: `Z`, `+02:00` or `-00:01:15`. */
function offsetAt(ms: number, zone: string): string {
  if (zone === UTC) return 'Z';
  const isName = ({ type }: Intl.DateTimeFormatPart): boolean => type === 'timeZoneName';
  const name = formatOf(zone).formatToParts(ms).find(isName)?.value ?? 'GMT';
  return name === 'GMT' ? '+00:00' : name.replace('GMT', '');
}

/**
 * A time as the clocks of a zone show it.
 *
 * @param ms milliseconds since 1970.
 * @returns the time as ISO 8601 writes it, without an offset and with milliseconds; and the offset.
 */
export function inZone(ms: number, zone: string): { readonly clock: string; readonly offset: string } {
  const offset = offsetAt(ms, zone);
  const [, sign, ...parts] = /^([+-])(\d+):(\d+)(?::(\d+))?$/.exec(offset) ?? [];
  const [hours = 0, minutes = 0, seconds = 0] = parts.map((part?: string) => Number(part ?? 0));
  const shift = (sign === '-' ? -1000 : 1000) * (3600 * hours + 60 * minutes + seconds);
  return { clock: new Date(ms + shift).toISOString().slice(0, -1), offset };
}

/** What clocks of a zone show at a time, as seconds since 1970 of clocks in UTC that show the same; the time itself for an unknown zone. */
export function wallTime(at: number, zone: string): number {
  if (zone === UTC) return at;
  try {
    return Date.parse(`${inZone(at * 1000, zone).clock}Z`) / 1000;
  } catch {
    // ClickHouse knows names that this browser does not.
    return at;
  }
}

/** The time at which clocks of a zone show a {@link wallTime}. */
export function instantOf(wall: number, zone: string): number {
  // The first guess can be on the other side of a change of clocks.
  const guess = 2 * wall - wallTime(wall, zone);
  return guess + wall - wallTime(guess, zone);
}

/** The date, the time of day with all digits of its second, and the offset of a time as the gateway writes it; undefined of any other text. */
export function clockOf(
  iso: string,
  zone: string,
): { readonly date: string; readonly time: string; readonly offset: string } | undefined {
  const [, seconds, fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?Z$/.exec(iso) ?? [];
  if (seconds === undefined) return undefined;
  const { clock, offset } = inZone(Date.parse(`${seconds}Z`), zone);
  return { date: clock.slice(0, 10), time: `${clock.slice(11, 19)}${fraction}`, offset };
}
