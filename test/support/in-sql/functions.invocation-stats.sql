/*
name: functions.invocation-stats
id: 8f0c7f5e-3a8d-4c55-9a0e-6f1f0b6a2d11
summary: Invocations of a project’s functions in time buckets, as a file in SQL.
parameters:
  project: { kind: string, required: true, description: Project reference. }
  function_id: { kind: string, empty: omitted, description: Only this function. }
  interval: { kind: string, default: 1day, description: How far back and in which buckets. }
columns:
  timestamp: DateTime('UTC')
  min_execution_time: Nullable(Float64)
  max_execution_time: Nullable(Float64)
  avg_execution_time: Nullable(Float64)
  p95_execution_time: Nullable(Float64)
  p99_execution_time: Nullable(Float64)
  count: UInt64
  error_count: UInt64
caching: 900
warming: 300
example: { project: aurora, interval: 1hr }
*/
WITH
  multiIf(
    @interval = '5min', 'second',
    @interval IN ('15min', '1hr'), 'minute',
    @interval = '7day', 'day',
    'hour') AS unit,
  toIntervalMinute(multiIf(
    @interval = '5min', 5,
    @interval = '15min', 15,
    @interval = '1hr', 60,
    @interval = '7day', 10080,
    1440)) AS span,
  NOT isNaN(log.execution_time_ms) AS is_number,
  -- The table has a projection by hour, which ClickHouse reads where the query has its expression.
  if(
    unit IN ('second', 'minute'),
    toDateTime(dateTrunc(unit, log.timestamp), 'UTC'),
    toDateTime(dateTrunc(unit, dateTrunc('hour', log.timestamp)), 'UTC')) AS bucket
SELECT
  bucket AS timestamp,
  min(log.execution_time_ms) AS min_execution_time,
  max(log.execution_time_ms) AS max_execution_time,
  avgIf(log.execution_time_ms, is_number) AS avg_execution_time,
  arrayElementOrNull(quantilesGKOrNullIf(200, 0.95, 0.99)(log.execution_time_ms, is_number), 1) AS p95_execution_time,
  arrayElementOrNull(quantilesGKOrNullIf(200, 0.95, 0.99)(log.execution_time_ms, is_number), 2) AS p99_execution_time,
  count() AS count,
  countIf(log.status_code >= 400) AS error_count
FROM function_relay_logs AS log
WHERE log.project = @project
  [[ AND log.function_id = @function_id ]]
  AND bucket BETWEEN dateTrunc(unit, @now - span) AND dateTrunc(unit, @now)
GROUP BY timestamp
ORDER BY timestamp;
