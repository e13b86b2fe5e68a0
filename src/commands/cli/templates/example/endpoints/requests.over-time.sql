/*
name: requests.over-time
id: 00000000-0000-4000-8000-000000000000
summary: Requests and failures of a shop over time.
parameters:
  shop: { kind: string, required: true, description: "Name of the shop: harbour or station." }
  interval:
    kind: enum
    choices: [minute, hour, day, week, month, quarter, year]
    default: hour
    description: Length of a bucket.
  zone: { kind: timezone, default: UTC, description: Time zone in which the buckets begin. }
  since:
    kind: timestamp
    default: now-24h
    relativeStep: 1m
    description: Only requests at or after this time.
columns:
  bucket: { type: DateTime64(0), description: When the bucket begins. }
  requests: UInt64
  failures: UInt64
caching: 60 # seconds
example: { shop: harbour }
*/
SELECT
    -- The start of each bucket in the caller's zone, as one type for every interval.
    toDateTime64(date_trunc(@interval, timestamp, @zone), 0, @zone) AS bucket,
    count() AS requests,
    countIf(status >= 500) AS failures
FROM requests
WHERE shop = @shop AND timestamp >= @since
GROUP BY bucket
ORDER BY bucket
