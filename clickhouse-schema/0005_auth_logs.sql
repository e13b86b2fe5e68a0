CREATE TABLE IF NOT EXISTS auth_logs
(
    id UUID DEFAULT generateUUIDv7() COMMENT 'Identifier of the record; made if absent' CODEC(ZSTD(1)),
    project LowCardinality(String) COMMENT 'Project reference',
    timestamp DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When it happened, to the microsecond' CODEC(Delta, ZSTD(1)),
    event_message String COMMENT 'The log line' CODEC(ZSTD(1)),
    metadata String DEFAULT '{}' COMMENT 'JSON object with all else that is known, kept as it was sent' CODEC(ZSTD(1)),
    level LowCardinality(Nullable(String)) COMMENT 'Severity',
    path String DEFAULT JSONExtractString(metadata, 'request', 'path') COMMENT 'Path of the request' CODEC(ZSTD(1)),
    status_code Nullable(UInt16) DEFAULT JSONExtract(metadata, 'response', 'status_code', 'Nullable(UInt16)') COMMENT 'HTTP status of the response; null where there was none' CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (project, timestamp)
TTL timestamp + INTERVAL 90 DAY DELETE
SETTINGS ttl_only_drop_parts = 1
COMMENT 'Authentication logs';
