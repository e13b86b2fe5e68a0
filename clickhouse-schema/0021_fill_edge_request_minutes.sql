-- querygate: fill edge_request_minutes from edge_logs a day at a time
SELECT
    log.project AS project, regexpExtract(log.url, '^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*', 0) AS origin, toStartOfMinute(log.timestamp) AS minute,
    count() AS requests,
    countIf(position(log.path, '/rest') > 0) AS rest_requests,
    countIf(position(log.path, '/storage') > 0) AS storage_requests,
    countIf(position(log.path, '/auth') > 0) AS auth_requests,
    countIf(position(log.path, '/realtime') > 0) AS realtime_requests
FROM edge_logs AS log
WHERE log.rolled_up = 0 AND toDate32(log.timestamp) = {day:Date32} AND log.timestamp >= '1970-01-01' AND log.timestamp < '2105-01-01'
GROUP BY project, origin, minute;
