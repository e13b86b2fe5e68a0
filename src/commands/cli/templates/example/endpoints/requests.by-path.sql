/*
name: requests.by-path
id: 00000000-0000-4000-8000-000000000000
summary: Requests, failures and response times of a shop, by path.
parameters:
  shop: { kind: string, required: true, description: "Name of the shop: harbour or station." }
  since:
    kind: timestamp
    default: now-24h
    relativeStep: 1m
    description: Only requests at or after this time.
  path: { kind: string, description: Only requests with this path. }
columns:
  path: LowCardinality(String)
  requests: UInt64
  failures: UInt64
  p95_ms: UInt32
caching: 60 # seconds
tables: true # a table for BI tools, where SQL_PORT is set
example: { shop: harbour }
*/
SELECT
    path,
    count() AS requests,
    countIf(status >= 500) AS failures,
    quantileExact(0.95)(duration_ms) AS p95_ms
FROM requests
-- ClickHouse binds @shop and @since. The part in [[ ]] applies where the caller sends `path`.
WHERE shop = @shop AND timestamp >= @since
  [[ AND path = @path ]]
GROUP BY path
ORDER BY requests DESC, path
