CREATE TABLE IF NOT EXISTS pooler_logs
(
    id UUID DEFAULT generateUUIDv7() COMMENT 'Identifier of the record; made if absent' CODEC(ZSTD(1)),
    project LowCardinality(String) COMMENT 'Project reference',
    timestamp DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When it happened, to the microsecond' CODEC(Delta, ZSTD(1)),
    event_message String COMMENT 'The log line' CODEC(ZSTD(1)),
    metadata String DEFAULT '{}' COMMENT 'JSON object with all else that is known, kept as it was sent' CODEC(ZSTD(1)),
    level LowCardinality(Nullable(String)) COMMENT 'Severity'
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (project, timestamp)
TTL timestamp + INTERVAL 90 DAY DELETE
SETTINGS ttl_only_drop_parts = 1
COMMENT 'Connection pooler logs';
