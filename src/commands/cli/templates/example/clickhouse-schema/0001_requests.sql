-- HTTP requests of web shops. Never edit a file that was applied: add 0002_….sql.
CREATE TABLE IF NOT EXISTS requests
(
    shop LowCardinality(String),
    timestamp DateTime64(3, 'UTC'),
    method LowCardinality(String),
    path LowCardinality(String),
    status UInt16,
    duration_ms UInt32
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(timestamp)
ORDER BY (shop, timestamp);
