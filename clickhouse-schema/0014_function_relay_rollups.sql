-- What functions.invocation-stats counts, a row a function and minute, hour or day; the longer ones are made of the
-- shorter as these are written. Times that a DateTime does not hold would come round again in another century.
CREATE TABLE IF NOT EXISTS function_relay_minutes
(
    project LowCardinality(String) COMMENT 'Project reference',
    minute DateTime('UTC') COMMENT 'Start of the minute' CODEC(Delta, ZSTD(1)),
    function_id LowCardinality(String) COMMENT 'Identifier of the function',
    min_execution_time SimpleAggregateFunction(min, Nullable(Float64)) COMMENT 'Minimum of execution_time_ms' CODEC(ZSTD(1)),
    max_execution_time SimpleAggregateFunction(max, Nullable(Float64)) COMMENT 'Maximum of execution_time_ms' CODEC(ZSTD(1)),
    avg_execution_time AggregateFunction(avg, Nullable(Float64)) COMMENT 'Average of execution_time_ms' CODEC(ZSTD(1)),
    execution_times AggregateFunction(quantilesGKOrNull(200, 0.95, 0.99), Nullable(Float64)) COMMENT 'Quantiles of execution_time_ms' CODEC(ZSTD(1)),
    invocations SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of log records' CODEC(T64, ZSTD(1)),
    errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Of these, with status_code >= 400' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toDate(minute)
ORDER BY (project, minute, function_id)
TTL minute + INTERVAL 90 DAY + INTERVAL 1 MINUTE DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 256
COMMENT 'Function relay logs a minute';

CREATE TABLE IF NOT EXISTS function_relay_hours
(
    project LowCardinality(String) COMMENT 'Project reference',
    hour DateTime('UTC') COMMENT 'Start of the hour' CODEC(Delta, ZSTD(1)),
    function_id LowCardinality(String) COMMENT 'Identifier of the function',
    min_execution_time SimpleAggregateFunction(min, Nullable(Float64)) COMMENT 'Minimum of execution_time_ms' CODEC(ZSTD(1)),
    max_execution_time SimpleAggregateFunction(max, Nullable(Float64)) COMMENT 'Maximum of execution_time_ms' CODEC(ZSTD(1)),
    avg_execution_time AggregateFunction(avg, Nullable(Float64)) COMMENT 'Average of execution_time_ms' CODEC(ZSTD(1)),
    execution_times AggregateFunction(quantilesGKOrNull(200, 0.95, 0.99), Nullable(Float64)) COMMENT 'Quantiles of execution_time_ms' CODEC(ZSTD(1)),
    invocations SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of log records' CODEC(T64, ZSTD(1)),
    errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Of these, with status_code >= 400' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(hour)
ORDER BY (project, hour, function_id)
TTL hour + INTERVAL 90 DAY + INTERVAL 1 HOUR DELETE
SETTINGS ttl_only_drop_parts = 0, index_granularity = 256
COMMENT 'Function relay logs an hour';

CREATE TABLE IF NOT EXISTS function_relay_days
(
    project LowCardinality(String) COMMENT 'Project reference',
    day DateTime('UTC') COMMENT 'Start of the day' CODEC(Delta, ZSTD(1)),
    function_id LowCardinality(String) COMMENT 'Identifier of the function',
    min_execution_time SimpleAggregateFunction(min, Nullable(Float64)) COMMENT 'Minimum of execution_time_ms' CODEC(ZSTD(1)),
    max_execution_time SimpleAggregateFunction(max, Nullable(Float64)) COMMENT 'Maximum of execution_time_ms' CODEC(ZSTD(1)),
    avg_execution_time AggregateFunction(avg, Nullable(Float64)) COMMENT 'Average of execution_time_ms' CODEC(ZSTD(1)),
    execution_times AggregateFunction(quantilesGKOrNull(200, 0.95, 0.99), Nullable(Float64)) COMMENT 'Quantiles of execution_time_ms' CODEC(ZSTD(1)),
    invocations SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of log records' CODEC(T64, ZSTD(1)),
    errors SimpleAggregateFunction(sum, UInt64) COMMENT 'Of these, with status_code >= 400' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (project, day, function_id)
TTL day + INTERVAL 90 DAY + INTERVAL 1 DAY DELETE
SETTINGS ttl_only_drop_parts = 0, index_granularity = 256
COMMENT 'Function relay logs a day';

CREATE MATERIALIZED VIEW IF NOT EXISTS function_relay_minutes_view TO function_relay_minutes AS
SELECT
    log.project AS project, toStartOfMinute(log.timestamp) AS minute, log.function_id AS function_id,
    min(log.execution_time_ms) AS min_execution_time,
    max(log.execution_time_ms) AS max_execution_time,
    avgState(log.execution_time_ms) AS avg_execution_time,
    quantilesGKOrNullState(200, 0.95, 0.99)(if(isNaN(log.execution_time_ms), NULL, log.execution_time_ms)) AS execution_times,
    count() AS invocations,
    countIf(log.status_code >= 400) AS errors
FROM function_relay_logs AS log
WHERE log.rolled_up = 1 AND log.timestamp >= '1970-01-01' AND log.timestamp < '2105-01-01'
GROUP BY project, minute, function_id;

CREATE MATERIALIZED VIEW IF NOT EXISTS function_relay_hours_view TO function_relay_hours AS
SELECT
    part.project AS project, toStartOfHour(part.minute) AS hour, part.function_id AS function_id,
    min(part.min_execution_time) AS min_execution_time,
    max(part.max_execution_time) AS max_execution_time,
    avgMergeState(part.avg_execution_time) AS avg_execution_time,
    quantilesGKOrNullMergeState(200, 0.95, 0.99)(part.execution_times) AS execution_times,
    sum(part.invocations) AS invocations,
    sum(part.errors) AS errors
FROM function_relay_minutes AS part
GROUP BY project, hour, function_id;

CREATE MATERIALIZED VIEW IF NOT EXISTS function_relay_days_view TO function_relay_days AS
SELECT
    part.project AS project, toStartOfDay(part.hour) AS day, part.function_id AS function_id,
    min(part.min_execution_time) AS min_execution_time,
    max(part.max_execution_time) AS max_execution_time,
    avgMergeState(part.avg_execution_time) AS avg_execution_time,
    quantilesGKOrNullMergeState(200, 0.95, 0.99)(part.execution_times) AS execution_times,
    sum(part.invocations) AS invocations,
    sum(part.errors) AS errors
FROM function_relay_hours AS part
GROUP BY project, day, function_id;
