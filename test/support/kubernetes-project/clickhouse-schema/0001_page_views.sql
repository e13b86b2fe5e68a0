CREATE TABLE IF NOT EXISTS page_views
(
    timestamp DateTime64(3, 'UTC'),
    site LowCardinality(String),
    path String
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(timestamp)
ORDER BY (site, timestamp);
