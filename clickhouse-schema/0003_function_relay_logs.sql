CREATE TABLE IF NOT EXISTS function_relay_logs
(
    id UUID DEFAULT generateUUIDv7() COMMENT 'Identifier of the record; made if absent' CODEC(ZSTD(1)),
    project LowCardinality(String) COMMENT 'Project reference',
    timestamp DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When it happened, to the microsecond' CODEC(Delta, ZSTD(1)),
    event_message String COMMENT 'The log line' CODEC(ZSTD(1)),
    metadata String DEFAULT '{}' COMMENT 'JSON object with all else that is known, kept as it was sent' CODEC(ZSTD(1)),
    function_id LowCardinality(String) DEFAULT JSONExtractString(metadata, 'function_id') COMMENT 'Identifier of the function',
    method LowCardinality(String) DEFAULT JSONExtractString(metadata, 'request', 'method') COMMENT 'HTTP method of the request',
    url String DEFAULT JSONExtractString(metadata, 'request', 'url') COMMENT 'Full URL of the request' CODEC(ZSTD(1)),
    status_code Nullable(UInt16) DEFAULT JSONExtract(metadata, 'response', 'status_code', 'Nullable(UInt16)') COMMENT 'HTTP status of the response; null where there was none' CODEC(ZSTD(1)),
    execution_time_ms Nullable(Float64) DEFAULT JSONExtract(metadata, 'execution_time_ms', 'Nullable(Float64)') COMMENT 'Duration of the invocation in milliseconds' CODEC(ZSTD(1)),
    -- For functions.invocation-stats. The quantiles of an hour take kilobytes, so that few rows make a granule.
    PROJECTION project_hours
    (
        SELECT
            project, dateTrunc('hour', timestamp),
            min(execution_time_ms),
            max(execution_time_ms),
            avgIf(execution_time_ms, NOT isNaN(execution_time_ms)),
            quantilesGKOrNullIf(200, 0.95, 0.99)(execution_time_ms, NOT isNaN(execution_time_ms)),
            count(),
            countIf(status_code >= 400)
        GROUP BY project, dateTrunc('hour', timestamp)
    ) WITH SETTINGS (index_granularity = 16),
    PROJECTION function_hours
    (
        SELECT
            project, function_id, dateTrunc('hour', timestamp),
            min(execution_time_ms),
            max(execution_time_ms),
            avgIf(execution_time_ms, NOT isNaN(execution_time_ms)),
            quantilesGKOrNullIf(200, 0.95, 0.99)(execution_time_ms, NOT isNaN(execution_time_ms)),
            count(),
            countIf(status_code >= 400)
        GROUP BY project, function_id, dateTrunc('hour', timestamp)
    ) WITH SETTINGS (index_granularity = 64)
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (project, timestamp)
TTL timestamp + INTERVAL 90 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 1024, lightweight_mutation_projection_mode = 'rebuild'
COMMENT 'Function relay logs: one record an invocation';
