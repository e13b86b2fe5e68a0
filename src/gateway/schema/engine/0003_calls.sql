CREATE TABLE IF NOT EXISTS querygate_calls
(
    hour DateTime('UTC') COMMENT 'In which the calls were',
    endpoint LowCardinality(String) COMMENT 'Name of the endpoint',
    call String COMMENT 'Digest of endpoint, definition, parameters, pins and format; empty for calls that cannot be repeated',
    omitted LowCardinality(String) COMMENT 'Why their parameters are not here: secret, sql, page, export or full',
    definition LowCardinality(String) COMMENT 'Digest of the definition',
    parameters String COMMENT 'JSON, as the caller sent them' CODEC(ZSTD(1)),
    pins String COMMENT 'JSON pairs, as the key pins them' CODEC(ZSTD(1)),
    format LowCardinality(String) COMMENT 'Name of the representation',
    calls UInt64 COMMENT 'How often',
    queries UInt64 COMMENT 'Of these, with a query',
    rows_read UInt64 COMMENT 'That these queries read',
    clickhouse_ms Float64 COMMENT 'Of these queries'
)
ENGINE = SummingMergeTree
ORDER BY (hour, endpoint, call, omitted)
TTL hour + INTERVAL 14 DAY DELETE
COMMENT 'Distinct calls, where RECORD_CALLS is on';
