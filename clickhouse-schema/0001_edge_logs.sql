CREATE TABLE IF NOT EXISTS edge_logs
(
    id UUID DEFAULT generateUUIDv7() COMMENT 'Identifier of the record; made if absent' CODEC(ZSTD(1)),
    project LowCardinality(String) COMMENT 'Project reference',
    timestamp DateTime64(6, 'UTC') DEFAULT now64(6, 'UTC') COMMENT 'When it happened, to the microsecond' CODEC(Delta, ZSTD(1)),
    event_message String COMMENT 'The log line' CODEC(ZSTD(1)),
    metadata String DEFAULT '{}' COMMENT 'JSON object with all else that is known, kept as it was sent' CODEC(ZSTD(1)),
    method LowCardinality(String) DEFAULT JSONExtractString(metadata, 'request', 'method') COMMENT 'HTTP method of the request',
    url String DEFAULT JSONExtractString(metadata, 'request', 'url') COMMENT 'Full URL of the request' CODEC(ZSTD(1)),
    path String DEFAULT ifNull(JSONExtract(metadata, 'request', 'path', 'Nullable(String)'), path(cutQueryStringAndFragment(url))) COMMENT 'Path of the request; where it is absent, that of the URL' CODEC(ZSTD(1)),
    status_code Nullable(UInt16) DEFAULT JSONExtract(metadata, 'response', 'status_code', 'Nullable(UInt16)') COMMENT 'HTTP status of the response; null where there was none' CODEC(ZSTD(1)),
    origin LowCardinality(String) MATERIALIZED regexpExtract(url, '^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*', 0) COMMENT 'Scheme and authority of the URL; empty where it has none',
    target String ALIAS substring(url, 1 + length(origin)) COMMENT 'The rest of the URL',
    -- For usage.api-counts: whether 8,192 URLs can match, and whether a million can after their origin.
    INDEX urls url TYPE ngrambf_v1(4, 8192, 2, 0) GRANULARITY 4,
    INDEX targets target TYPE ngrambf_v1(4, 65536, 2, 0) GRANULARITY 512,
    PROJECTION origin_hours
    (
        SELECT
            project, origin, dateTrunc('hour', timestamp),
            countIf(position(path, '/rest') > 0),
            countIf(position(path, '/storage') > 0),
            countIf(position(path, '/auth') > 0),
            countIf(position(path, '/realtime') > 0)
        GROUP BY project, origin, dateTrunc('hour', timestamp)
    ) WITH SETTINGS (index_granularity = 256)
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY (project, timestamp)
TTL timestamp + INTERVAL 90 DAY DELETE
SETTINGS ttl_only_drop_parts = 1, index_granularity = 2048, lightweight_mutation_projection_mode = 'rebuild'
COMMENT 'Edge request logs';
