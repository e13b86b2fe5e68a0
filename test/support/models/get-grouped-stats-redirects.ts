import { groupBy } from './groups.js';
import { compareTexts, inOrder } from './order.js';
import { scalarTexts } from './scalar-texts.js';
import { DAY, isWithin, printSeconds, startOf, type Bound, type Micros } from './time.js';

/** The columns that the parameter of the same name filters, and that define a group together with the day and utm_params. */
export const REDIRECT_COLUMNS = ['event_name', 'country', 'device', 'language', 'referrer'] as const;

type RedirectColumn = (typeof REDIRECT_COLUMNS)[number];

/** The columns of a custom events log record that the endpoint reads. */
export type RedirectEvent = Readonly<Record<RedirectColumn | 'event_type' | 'utm_params', string | null>> & {
  readonly timestamp: Micros;
};

export type RedirectsParameters = Readonly<Partial<Record<RedirectColumn, string>>> & {
  readonly utm_key?: string;
  readonly utm_value?: string;
  readonly start_time?: Bound;
  readonly end_time?: Bound;
};

/** A row of `get-grouped-stats-redirects`. */
export type RedirectsGroup = Readonly<Record<RedirectColumn | 'utm_params', string | null>> & {
  readonly group_time: string;
  readonly total_hits: number;
};

const MAX_ROWS = 1000;

/** Computes the result of `get-grouped-stats-redirects` for these records. */
export function groupedRedirects(
  events: readonly RedirectEvent[],
  parameters: RedirectsParameters,
): readonly RedirectsGroup[] {
  const keys = events
    .filter((event) => event.event_type === 'url_redirect' && passes(event, parameters))
    .map(keyOf);
  return groupBy(keys, (key) => JSON.stringify(key))
    .map((group) => ({ ...group[0], total_hits: group.length }))
    .sort(
      inOrder(
        (a, b) => compareTexts(a.group_time, b.group_time),
        ...[...REDIRECT_COLUMNS, 'utm_params' as const].map(
          (name) => (a: RedirectsGroup, b: RedirectsGroup) => compareTexts(a[name], b[name]),
        ),
      ),
    )
    .slice(0, MAX_ROWS);
}

function passes(event: RedirectEvent, parameters: RedirectsParameters): boolean {
  const { utm_key, utm_value, start_time, end_time } = parameters;
  return (
    REDIRECT_COLUMNS.every((name) => parameters[name] === undefined || event[name] === parameters[name]) &&
    (utm_key === undefined ||
      utm_value === undefined ||
      scalarTexts(event.utm_params).get(utm_key) === utm_value) &&
    isWithin(event.timestamp, start_time, end_time)
  );
}

function keyOf(event: RedirectEvent): Omit<RedirectsGroup, 'total_hits'> {
  const { event_name, country, device, language, referrer, utm_params } = event;
  const group_time = printSeconds(startOf(DAY, event.timestamp));
  return { group_time, event_name, country, device, language, referrer, utm_params };
}
