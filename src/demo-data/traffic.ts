import { draw, literal } from './draws.js';
import { FAILING } from './incidents.js';
import { DRAW_PROJECT, ofProject } from './projects.js';

const RECENT_DAYS = 8;
const OLDEST_DAYS = 30;

interface Volume {
  /** Moments looked at in the last eight days; the rhythm keeps about half of them. */
  readonly recent: number;
  /** Moments looked at in the three weeks before, which the longest retention alone shows. */
  readonly older?: number;
}

/** How busy a project is at a time, from 0 to 1: less at night, less at weekends, and no day quite like another. */
const BUSYNESS = `
  (at_night + (1 - at_night) * pow(0.5 + 0.5 * cos(2 * pi() * (hour - peak_hour) / 24), 1.4))
  * if(toDayOfWeek(timestamp) >= 6, 0.6, 1)
  * (0.8 + 0.2 * ${draw('mood', 'day')})`;

/**
 * SQL for the moments at which a source has a record: `seed`, `project_position`, `project`, `timestamp` and `failing`.
 *
 * Moments are spread evenly over the time, newest first, and kept as often as their project is busy then. That they come in
 * the order of time lets ClickHouse write day by day in small blocks.
 */
export const traffic = (source: string, { recent, older = 0 }: Volume): string => `(
  WITH
    cityHash64(${literal(source)}, number) AS seed,
    ${draw('moment')} AS jitter,
    if(number < ${recent},
       (number + jitter) * ${RECENT_DAYS / recent},
       ${RECENT_DAYS} + (number - ${recent} + jitter) * ${(OLDEST_DAYS - RECENT_DAYS) / Math.max(older, 1)}) AS age_days,
    toHour(timestamp) + toMinute(timestamp) / 60 AS hour,
    toYYYYMMDD(timestamp) * 10 + project_position AS day,
    ${ofProject(({ peakHour }) => peakHour)} AS peak_hour,
    ${ofProject(({ atNight }) => atNight)} AS at_night,
    age_days * 1440 AS age_minutes
  SELECT
    seed,
    ${DRAW_PROJECT} AS project_position,
    ${ofProject(({ name }) => name)} AS project,
    {now:DateTime64(6, 'UTC')} - toIntervalMicrosecond(toInt64(age_days * 86400e6)) AS timestamp,
    ${FAILING} AS failing
  FROM numbers(${recent + older})
  WHERE ${draw('presence')} < ${BUSYNESS}
)`;
