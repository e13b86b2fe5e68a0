ALTER TABLE gateway_requests
    ADD COLUMN IF NOT EXISTS purpose LowCardinality(String) DEFAULT 'call' COMMENT 'call, or for a query without a request: warming, verification or replay',
    ADD COLUMN IF NOT EXISTS bytes_sent UInt64 COMMENT 'Bytes of the response, with its headers',
    ADD COLUMN IF NOT EXISTS charged_rows Float64 COMMENT 'Rows that the query read, divided by the calls that waited for it',
    ADD COLUMN IF NOT EXISTS charged_bytes Float64 COMMENT 'Bytes likewise',
    ADD COLUMN IF NOT EXISTS charged_ms Float64 COMMENT 'Milliseconds in ClickHouse likewise',
    ADD COLUMN IF NOT EXISTS saved_rows UInt64 COMMENT 'Rows that the queries of kept pieces had read',
    ADD COLUMN IF NOT EXISTS saved_bytes UInt64 COMMENT 'Bytes likewise';

CREATE TABLE IF NOT EXISTS querygate_usage
(
    day Date COMMENT 'In UTC',
    endpoint LowCardinality(String) COMMENT 'Name of the endpoint; empty where none was found',
    key_name LowCardinality(String) COMMENT 'Name of the key; empty for a query without a request',
    purpose LowCardinality(String) COMMENT 'As in gateway_requests',
    requests UInt64 COMMENT 'Requests with a key',
    hits UInt64 COMMENT 'Of these, with a fresh cached result',
    errors UInt64 COMMENT 'Of these, with a status of 400 or above',
    rows_read Float64 COMMENT 'Sum of charged_rows',
    bytes_read Float64 COMMENT 'Sum of charged_bytes',
    clickhouse_ms Float64 COMMENT 'Sum of charged_ms',
    bytes_sent UInt64 COMMENT 'Sum of bytes_sent'
)
ENGINE = SummingMergeTree
ORDER BY (day, endpoint, key_name, purpose)
TTL day + INTERVAL 400 DAY DELETE
COMMENT 'Daily sums over gateway_requests';

CREATE MATERIALIZED VIEW IF NOT EXISTS querygate_usage_of_requests TO querygate_usage
DEFINER = CURRENT_USER SQL SECURITY DEFINER AS
SELECT
    toDate(timestamp) AS day,
    endpoint,
    key_name,
    purpose,
    countIf(purpose = 'call') AS requests,
    countIf(cache = 'HIT') AS hits,
    countIf(status >= 400) AS errors,
    sum(charged_rows) AS rows_read,
    sum(charged_bytes) AS bytes_read,
    sum(charged_ms) AS clickhouse_ms,
    sum(bytes_sent) AS bytes_sent
FROM gateway_requests
WHERE key_name != '' OR purpose != 'call'
GROUP BY day, endpoint, key_name, purpose;
