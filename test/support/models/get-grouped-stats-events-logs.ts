import { groupBy } from './groups.js';
import { compareTexts, inOrder } from './order.js';
import { DAY, isWithin, printSeconds, startOf, type Bound, type Micros } from './time.js';

/** The columns of a custom event that the parameter of the same name filters for equality. */
export const EQUALITY_COLUMNS = [
  'level',
  'user_id',
  'profile_id',
  'view_id',
  'event_target',
  'event_name',
  'referrer',
  'city',
  'country',
  'device',
  'language',
  'utm_params',
] as const;

/** The columns that define a group, in addition to the day, in the order of the result. */
export const GROUP_COLUMNS = [
  'event_id',
  'event_name',
  'city',
  'country',
  'device',
  'language',
  'referrer',
  'event_type',
  'utm_params',
] as const;

type TextColumn = (typeof EQUALITY_COLUMNS)[number] | (typeof GROUP_COLUMNS)[number];

/** A record of the custom events log. */
export type CustomEvent = Readonly<Record<TextColumn, string | null>> & {
  readonly timestamp: Micros;
  readonly event_message: string;
};

export type EventsParameters = Readonly<Partial<Record<(typeof EQUALITY_COLUMNS)[number], string>>> & {
  readonly search_term?: string;
  readonly event_type?: string;
  readonly include_unique?: string;
  readonly event_ids?: string;
  readonly start_time?: Bound;
  readonly end_time?: Bound;
};

/** A row of `get-grouped-stats-events-logs`. */
export type EventsGroup = Readonly<Record<(typeof GROUP_COLUMNS)[number], string | null>> & {
  readonly group_time: string;
  readonly total_hits: number;
};

const MAX_ROWS = 1000;

/** Computes the result of `get-grouped-stats-events-logs` for these records. */
export function groupedEvents(
  events: readonly CustomEvent[],
  parameters: EventsParameters,
): readonly EventsGroup[] {
  const keys = events.filter((event) => passes(event, parameters)).map(keyOf);
  return groupBy(keys, (key) => JSON.stringify(key))
    .map((group) => ({ ...group[0], total_hits: group.length }))
    .sort(
      inOrder(
        (a, b) => compareTexts(a.group_time, b.group_time),
        ...GROUP_COLUMNS.map((name) => (a: EventsGroup, b: EventsGroup) => compareTexts(a[name], b[name])),
      ),
    )
    .slice(0, MAX_ROWS);
}

/** Texts that differ only in letter case have the same folding. */
function foldCase(text: string): string {
  const folded = Array.from(text, (character) =>
    character === 'ı'
      ? character
      : Array.from(character.toLowerCase().toUpperCase(), (c) => c.toLowerCase()).join(''),
  );
  return folded.join('');
}

/** Returns the event types that a caller's event_type selects. */
function eventTypesOf(eventType: string, includeUnique: string | undefined): readonly string[] {
  const widens = includeUnique === 'true' && (eventType === 'view' || eventType === 'click');
  return widens ? [eventType, `unique_${eventType}`] : [eventType];
}

function passes(event: CustomEvent, parameters: EventsParameters): boolean {
  const { search_term, event_type, include_unique, event_ids, start_time, end_time } = parameters;
  const isOneOf = (value: string | null, allowed: readonly string[] | undefined): boolean =>
    allowed === undefined || (value !== null && allowed.includes(value));
  return (
    EQUALITY_COLUMNS.every((name) => parameters[name] === undefined || event[name] === parameters[name]) &&
    (search_term === undefined || foldCase(event.event_message).includes(foldCase(search_term))) &&
    isOneOf(
      event.event_type,
      event_type === undefined ? undefined : eventTypesOf(event_type, include_unique),
    ) &&
    isOneOf(event.event_id, event_ids?.split(',')) &&
    isWithin(event.timestamp, start_time, end_time)
  );
}

function keyOf(event: CustomEvent): Omit<EventsGroup, 'total_hits'> {
  const { event_id, event_name, city, country, device, language, referrer, event_type, utm_params } = event;
  const group_time = printSeconds(startOf(DAY, event.timestamp));
  return {
    group_time,
    event_id,
    event_name,
    city,
    country,
    device,
    language,
    referrer,
    event_type,
    utm_params,
  };
}
