const INSTANT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

/**
 * Parses an ISO 8601 date or date-time to milliseconds since 1970. The default zone is UTC, the default time is
 * midnight. Undefined for anything else, including a day that the calendar does not have.
 */
export function parseInstant(text: string): number | undefined {
  const [, date, time = '00:00', zone = 'Z'] = INSTANT.exec(text) ?? [];
  if (date === undefined) return undefined;
  const midnight = new Date(`${date}T00:00Z`);
  // JavaScript parses 31 February as 3 March.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return undefined;
  const instant = Date.parse(`${date}T${time}${zone.toUpperCase().replace(/(\d\d)(\d\d)$/, '$1:$2')}`);
  return Number.isNaN(instant) ? undefined : instant;
}
