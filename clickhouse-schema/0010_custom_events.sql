CREATE TABLE IF NOT EXISTS custom_events
(
    id UUID DEFAULT generateUUIDv4() COMMENT 'Identifier of the record; made if absent',
    timestamp DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When it happened, to the microsecond' CODEC(Delta, ZSTD(1)),
    event_message String COMMENT 'The log line' CODEC(ZSTD(1)),
    metadata String DEFAULT '{}' COMMENT 'JSON object with all else that is known, kept as it was sent' CODEC(ZSTD(1)),
    level LowCardinality(Nullable(String)) COMMENT 'Severity',
    user_id Nullable(String) COMMENT 'Who caused the event',
    profile_id Nullable(String) COMMENT 'Profile that the event belongs to',
    view_id Nullable(String) COMMENT 'View in which it happened',
    event_type LowCardinality(Nullable(String)) COMMENT 'view, unique_view, click, unique_click, url_redirect or another',
    event_target Nullable(String) COMMENT 'What the event was aimed at',
    event_id Nullable(String) COMMENT 'Event identifier',
    event_name Nullable(String) COMMENT 'Event name',
    referrer Nullable(String) COMMENT 'Where the visitor came from',
    city LowCardinality(Nullable(String)) COMMENT 'City',
    country LowCardinality(Nullable(String)) COMMENT 'Country',
    device LowCardinality(Nullable(String)) COMMENT 'Device',
    language LowCardinality(Nullable(String)) COMMENT 'Language',
    utm_params Nullable(String) COMMENT 'Campaign parameters: the text of a JSON object',
    INDEX event_ids event_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX event_names event_name TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX user_ids user_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX profile_ids profile_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX view_ids view_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate32(timestamp)
ORDER BY (event_type, timestamp)
TTL timestamp + INTERVAL 90 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, allow_nullable_key = 1
COMMENT 'Custom events log';
