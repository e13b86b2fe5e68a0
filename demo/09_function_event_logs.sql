-- Output of functions: a line of every fifth invocation; for failed invocations, the reason.
INSERT INTO function_event_logs (id, project, timestamp, event_message, metadata, function_id, level)
WITH
    if(status_code IS NULL OR status_code >= 500, 100, 0) + cityHash64(id, 'line') % 100 AS line,
    multiIf(
        line < 8, ('log', 'booted (time: 31ms)'),
        line < 14, ('log', 'shutdown'),
        line < 54, ('info', concat('request handled in ', ifNull(execution_time_ms, 0), ' ms')),
        line < 84, ('info', concat('item ', cityHash64(id) % 90000, ' done')),
        line < 94, ('debug', concat('cache miss for item ', cityHash64(id) % 90000)),
        line < 98, ('warning', 'upstream slow, attempt 2 of 3'),
        line < 100, ('error', 'TypeError: Cannot read properties of undefined (reading \'id\')'),
        line < 150, ('error', 'Error: connect ECONNREFUSED 10.0.4.12:5432'),
        line < 180, ('error', 'Error: upstream answered 503'),
        ('warning', 'giving up after 3 attempts')) AS level_and_message
SELECT
    reinterpretAsUUID(sipHash128('function_event_logs', id)),
    project,
    timestamp,
    level_and_message.2,
    concat('{"function_id":"', function_id, '","execution_id":"', JSONExtractString(metadata, 'execution_id'), '"}'),
    function_id,
    level_and_message.1
FROM function_relay_logs
WHERE cityHash64(id, 'printed') % 5 = 0
