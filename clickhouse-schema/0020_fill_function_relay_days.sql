-- querygate: fill function_relay_days from function_relay_logs a day at a time
SELECT
    log.project AS project, toStartOfDay(log.timestamp) AS day, log.function_id AS function_id,
    min(log.execution_time_ms) AS min_execution_time,
    max(log.execution_time_ms) AS max_execution_time,
    avgState(log.execution_time_ms) AS avg_execution_time,
    quantilesGKOrNullState(200, 0.95, 0.99)(if(isNaN(log.execution_time_ms), NULL, log.execution_time_ms)) AS execution_times,
    count() AS invocations,
    countIf(log.status_code >= 400) AS errors
FROM function_relay_logs AS log
WHERE log.rolled_up = 0 AND toDate32(log.timestamp) = {day:Date32} AND log.timestamp >= '1970-01-01' AND log.timestamp < '2105-01-01'
GROUP BY project, day, function_id;
