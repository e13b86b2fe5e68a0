CREATE TABLE IF NOT EXISTS gateway_requests
(
    timestamp DateTime64(6, 'UTC') COMMENT 'When the answer was out' CODEC(Delta, ZSTD(1)),
    request_id String COMMENT 'As in X-Request-Id' CODEC(ZSTD(1)),
    query_id String COMMENT 'Of the query that the request caused, as in system.query_log; empty where it caused none' CODEC(ZSTD(1)),
    endpoint LowCardinality(String) COMMENT 'Name of the endpoint; empty where none was found',
    definition LowCardinality(String) COMMENT 'Digest of its definition',
    parameters String COMMENT 'Digest of the question: equal ones are kept under one key of the cache' CODEC(ZSTD(1)),
    key_name LowCardinality(String) COMMENT 'Name of the key; empty where there was no good one',
    status UInt16 COMMENT 'HTTP status; 499 where the caller had gone',
    code LowCardinality(String) COMMENT 'Code of the failure; empty for a success',
    cache LowCardinality(String) COMMENT 'HIT, MISS, STALE or BYPASS; empty without an answer',
    row_count UInt32 COMMENT 'Rows of the answer',
    rows_read UInt64 COMMENT 'Rows that the query read, where the request caused it',
    bytes_read UInt64 COMMENT 'Bytes likewise',
    total_ms Float64 COMMENT 'From the first byte of the request to the last of the answer',
    waiting_ms Float64 COMMENT 'Of these, waiting for a place to query',
    clickhouse_ms Float64 COMMENT 'Of these, in ClickHouse'
)
ENGINE = MergeTree
PARTITION BY toYYYYMMDD(timestamp)
ORDER BY timestamp
TTL timestamp + INTERVAL 30 DAY DELETE
SETTINGS ttl_only_drop_parts = 1
COMMENT 'What the gateway was asked';
