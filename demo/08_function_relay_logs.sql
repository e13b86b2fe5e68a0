-- Invocations of functions: each call at the edge, and two more from schedules and webhooks at about the same time.
INSERT INTO function_relay_logs (id, project, timestamp, event_message, metadata, function_id, method, url, status_code, execution_time_ms)
WITH
    -- How long a function usually runs, and how much that varies: 0.3 is steady, 0.9 has a long tail.
    functions AS
    (
        SELECT * FROM VALUES
        (
            'function_id String, median_ms Float64, spread Float64',
            ('checkout', 180, 0.7), ('search', 42, 0.45), ('resize-image', 320, 0.8), ('send-receipt', 240, 0.6),
            ('payment-webhook', 65, 0.5), ('sync-inventory', 410, 0.7), ('print-label', 130, 0.4), ('import-csv', 2100, 0.9),
            ('embed-text', 95, 0.4), ('moderate-message', 58, 0.5), ('poll-devices', 28, 0.3)
        )
    ),
    calls AS
    (
        SELECT
            sipHash128('function_relay_logs', id, copy) AS seed,
            project,
            timestamp - toIntervalMillisecond(copy * (cityHash64(id) % 60000)) AS timestamp,
            substring(path, length('/functions/v1/') + 1) AS function_id,
            method,
            url,
            -- A call at the edge has its own status; others mostly have 200. A crash has no status, half of them no duration.
            cityHash64(seed, 'crash') % 1000 AS crash,
            multiIf(
                crash < 4 OR status_code >= 500 AND crash < 200, NULL,
                copy = 0 OR status_code >= 500, status_code,
                200) AS status,
            -- The sum of three draws is nearly normal; its exponential has most values near the median, a few far above.
            (cityHash64(seed, 'a') % 1000 + cityHash64(seed, 'b') % 1000 + cityHash64(seed, 'c') % 1000 - 1500) / 500 AS bell,
            cityHash64(seed, 'cold start') % 100 < 3 AS is_cold
        FROM edge_logs
        ARRAY JOIN [0, 1, 2] AS copy
        WHERE path LIKE '/functions/%'
    )
SELECT
    reinterpretAsUUID(seed),
    project,
    timestamp,
    concat(method, ' | ', ifNull(toString(status), 'null'), ' | ', url),
    concat(
        '{"function_id":"', function_id, '","execution_id":"', lower(hex(seed)),
        '","region":"', transform(project, ['basalt', 'cobalt'], ['us-east-1', 'ap-southeast-1'], 'eu-central-1'),
        '","cold_start":', if(is_cold, 'true', 'false'),
        ',"execution_time_ms":', ifNull(toString(duration), 'null'),
        ',"request":{"method":"', method, '","url":"', url, '"},',
        '"response":{"status_code":', ifNull(toString(status), 'null'), '}}'),
    function_id,
    method,
    url,
    status,
    if(status IS NULL AND crash % 2 = 0,
        NULL,
        round(median_ms * exp(spread * bell) * if(status >= 500, 5, 1) + if(is_cold, 380, 0), 2)) AS duration
FROM calls
INNER JOIN functions USING (function_id)
