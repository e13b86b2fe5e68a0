CREATE TABLE IF NOT EXISTS custom_events
(
    id UUID DEFAULT generateUUIDv7() COMMENT 'Identifier of the record; made if absent' CODEC(ZSTD(1)),
    timestamp DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When it happened, to the microsecond' CODEC(Delta, ZSTD(1)),
    event_message String COMMENT 'The log line' CODEC(ZSTD(1)),
    metadata String DEFAULT '{}' COMMENT 'JSON object with all else that is known, kept as it was sent' CODEC(ZSTD(1)),
    level LowCardinality(Nullable(String)) COMMENT 'Severity',
    user_id Nullable(String) COMMENT 'Who caused the event' CODEC(ZSTD(1)),
    profile_id Nullable(String) COMMENT 'Profile that the event belongs to' CODEC(ZSTD(1)),
    view_id Nullable(String) COMMENT 'View in which it happened' CODEC(ZSTD(1)),
    event_type LowCardinality(Nullable(String)) COMMENT 'view, unique_view, click, unique_click, url_redirect or another',
    event_target Nullable(String) COMMENT 'What the event was aimed at' CODEC(ZSTD(1)),
    event_id Nullable(String) COMMENT 'Event identifier' CODEC(ZSTD(1)),
    event_name Nullable(String) COMMENT 'Event name' CODEC(ZSTD(1)),
    referrer Nullable(String) COMMENT 'Where the visitor came from' CODEC(ZSTD(1)),
    city LowCardinality(Nullable(String)) COMMENT 'City',
    country LowCardinality(Nullable(String)) COMMENT 'Country',
    device LowCardinality(Nullable(String)) COMMENT 'Device',
    language LowCardinality(Nullable(String)) COMMENT 'Language',
    utm_params Nullable(String) COMMENT 'Campaign parameters: the text of a JSON object' CODEC(ZSTD(1)),
    INDEX user_ids user_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX profile_ids profile_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX view_ids view_id TYPE bloom_filter(0.01) GRANULARITY 1,
    -- For the grouped stats. Null is empty, and a value has `=` before it: as texts they sort as the endpoints do, nulls
    -- first, so that ClickHouse reads the first groups without the others, which it does not do for nullable keys.
    PROJECTION event_days
    (
        SELECT
            toDate32(timestamp), ifNull('=' || event_id, ''), ifNull('=' || event_name, ''),
            ifNull('=' || city, ''), ifNull('=' || country, ''), ifNull('=' || device, ''),
            ifNull('=' || language, ''), ifNull('=' || referrer, ''), ifNull('=' || event_type, ''),
            ifNull('=' || utm_params, ''),
            count()
        GROUP BY
            toDate32(timestamp), ifNull('=' || event_id, ''), ifNull('=' || event_name, ''),
            ifNull('=' || city, ''), ifNull('=' || country, ''), ifNull('=' || device, ''),
            ifNull('=' || language, ''), ifNull('=' || referrer, ''), ifNull('=' || event_type, ''),
            ifNull('=' || utm_params, '')
    ),
    PROJECTION redirect_days
    (
        SELECT
            ifNull('=' || event_type, ''), toDate32(timestamp), ifNull('=' || event_name, ''),
            ifNull('=' || country, ''), ifNull('=' || device, ''), ifNull('=' || language, ''),
            ifNull('=' || referrer, ''), ifNull('=' || utm_params, ''),
            count()
        GROUP BY
            ifNull('=' || event_type, ''), toDate32(timestamp), ifNull('=' || event_name, ''),
            ifNull('=' || country, ''), ifNull('=' || device, ''), ifNull('=' || language, ''),
            ifNull('=' || referrer, ''), ifNull('=' || utm_params, '')
    ) WITH SETTINGS (index_granularity = 1024)
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(timestamp)
ORDER BY timestamp
TTL timestamp + INTERVAL 90 DAY DELETE
SETTINGS lightweight_mutation_projection_mode = 'rebuild'
COMMENT 'Custom events log';
