-- What usage.api-counts counts, a row an origin and minute or hour. A regular expression that is found in the origin is
-- found in every URL that begins with it, so that these need not be looked at.
CREATE TABLE IF NOT EXISTS edge_request_minutes
(
    project LowCardinality(String) COMMENT 'Project reference',
    origin LowCardinality(String) COMMENT 'Scheme and authority of the URL, which are where it begins; empty where it has none',
    minute DateTime('UTC') COMMENT 'Start of the minute' CODEC(Delta, ZSTD(1)),
    requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests' CODEC(T64, ZSTD(1)),
    rest_requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Of these, whose path contains /rest' CODEC(T64, ZSTD(1)),
    storage_requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Of these, whose path contains /storage' CODEC(T64, ZSTD(1)),
    auth_requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Of these, whose path contains /auth' CODEC(T64, ZSTD(1)),
    realtime_requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Of these, whose path contains /realtime' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toDate(minute)
ORDER BY (project, origin, minute)
TTL minute + INTERVAL 90 DAY + INTERVAL 1 MINUTE DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 1024
COMMENT 'Edge requests a minute';

CREATE TABLE IF NOT EXISTS edge_request_hours
(
    project LowCardinality(String) COMMENT 'Project reference',
    origin LowCardinality(String) COMMENT 'Scheme and authority of the URL, which are where it begins; empty where it has none',
    hour DateTime('UTC') COMMENT 'Start of the hour' CODEC(Delta, ZSTD(1)),
    requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of requests' CODEC(T64, ZSTD(1)),
    rest_requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Of these, whose path contains /rest' CODEC(T64, ZSTD(1)),
    storage_requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Of these, whose path contains /storage' CODEC(T64, ZSTD(1)),
    auth_requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Of these, whose path contains /auth' CODEC(T64, ZSTD(1)),
    realtime_requests SimpleAggregateFunction(sum, UInt64) COMMENT 'Of these, whose path contains /realtime' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(hour)
ORDER BY (project, origin, hour)
TTL hour + INTERVAL 90 DAY + INTERVAL 1 HOUR DELETE
SETTINGS ttl_only_drop_parts = 0, index_granularity = 1024
COMMENT 'Edge requests an hour';

CREATE MATERIALIZED VIEW IF NOT EXISTS edge_request_minutes_view TO edge_request_minutes AS
SELECT
    log.project AS project, regexpExtract(log.url, '^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*', 0) AS origin, toStartOfMinute(log.timestamp) AS minute,
    count() AS requests,
    countIf(position(log.path, '/rest') > 0) AS rest_requests,
    countIf(position(log.path, '/storage') > 0) AS storage_requests,
    countIf(position(log.path, '/auth') > 0) AS auth_requests,
    countIf(position(log.path, '/realtime') > 0) AS realtime_requests
FROM edge_logs AS log
WHERE log.rolled_up = 1 AND log.timestamp >= '1970-01-01' AND log.timestamp < '2105-01-01'
GROUP BY project, origin, minute;

CREATE MATERIALIZED VIEW IF NOT EXISTS edge_request_hours_view TO edge_request_hours AS
SELECT
    part.project AS project, part.origin AS origin, toStartOfHour(part.minute) AS hour,
    sum(part.requests) AS requests,
    sum(part.rest_requests) AS rest_requests,
    sum(part.storage_requests) AS storage_requests,
    sum(part.auth_requests) AS auth_requests,
    sum(part.realtime_requests) AS realtime_requests
FROM edge_request_minutes AS part
GROUP BY project, origin, hour;
