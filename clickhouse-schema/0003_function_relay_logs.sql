CREATE TABLE IF NOT EXISTS function_relay_logs
(
    id UUID DEFAULT generateUUIDv4() COMMENT 'Identifier of the record; made if absent',
    project LowCardinality(String) COMMENT 'Project reference',
    timestamp DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When it happened, to the microsecond' CODEC(Delta, ZSTD(1)),
    event_message String COMMENT 'The log line' CODEC(ZSTD(1)),
    metadata String DEFAULT '{}' COMMENT 'JSON object with all else that is known, kept as it was sent' CODEC(ZSTD(1)),
    function_id LowCardinality(String) DEFAULT JSONExtractString(metadata, 'function_id') COMMENT 'Identifier of the function',
    method LowCardinality(String) DEFAULT JSONExtractString(metadata, 'request', 'method') COMMENT 'HTTP method of the request',
    url String DEFAULT JSONExtractString(metadata, 'request', 'url') COMMENT 'Full URL of the request' CODEC(ZSTD(1)),
    status_code Nullable(UInt16) DEFAULT JSONExtract(metadata, 'response', 'status_code', 'Nullable(UInt16)') COMMENT 'HTTP status of the response; null where there was none',
    execution_time_ms Nullable(Float64) DEFAULT JSONExtract(metadata, 'execution_time_ms', 'Nullable(Float64)') COMMENT 'Duration of the invocation in milliseconds' CODEC(ZSTD(1)),
    INDEX function_ids function_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate32(timestamp)
ORDER BY (project, timestamp)
TTL timestamp + INTERVAL 90 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 1024
COMMENT 'Function relay logs: one record an invocation';
