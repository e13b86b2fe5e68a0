import { draw, drawBelow, drawLogNormal, drawOne, drawPosition, literals, type Value } from './draws.js';
import { DRAW_FUNCTION, ofFunction } from './projects.js';
import type { Route } from './routes.js';
import { VISITOR } from './visitors.js';

/**
 * SQL for requests to some routes, one at each of the moments: `seed`, `project`, `timestamp`, `method`, `url`, `path`,
 * `search`, `status_code`, `content_length`, `origin_time` (milliseconds), `ip` and `user_agent`.
 *
 * From the inside out: what is drawn, what the request and its status are, and what follows from those.
 */
export function requestsTo(routes: readonly Route[], moments: string): string {
  const ofRoute = (property: (route: Route) => Value): string => `${literals(routes.map(property))}[route]`;
  const functionName = ofFunction(({ name }) => name);
  return `(
  SELECT
    *,
    concat('https://', project, '.example.co', path, search) AS url,
    if(status_code IN (101, 204, 304), 0, toUInt32(${drawLogNormal('1800', '1.1', 'content length')})) AS content_length,
    toUInt32(if(failing, 30, 1) * ${drawLogNormal('38', '0.7', 'origin time')}) AS origin_time
  FROM (
    SELECT
      seed, project, timestamp, failing, ip, user_agent,
      ifNull(${ofRoute(({ method }) => method)}, ${ofFunction(({ method }) => method)}) AS method,
      replaceOne(replaceOne(${ofRoute(({ path }) => path)}, ':function', ${functionName}), ':id', thing) AS path,
      replaceOne(${ofRoute(({ search = '' }) => search)}, ':id', thing) AS search,
      multiIf(
        failing, ${drawOne([503, 503, 504, 500], 'failure')},
        mishap < 0.002, 500,
        mishap < 0.005, 429,
        mishap < 0.03, ${ofRoute(({ refused }) => refused)},
        ${ofRoute(({ done }) => done)}) AS status_code
    FROM (
      SELECT
        *,
        ${VISITOR},
        ${drawPosition(routes, 'route')} AS route,
        ${DRAW_FUNCTION} AS function_position,
        toString(1000 + ${drawBelow(9000, 'thing')}) AS thing,
        ${draw('mishap')} AS mishap
      FROM ${moments}
    )
  )
)`;
}
