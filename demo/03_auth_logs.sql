-- The authentication server's own log of its requests at the edge.
INSERT INTO auth_logs (id, project, timestamp, event_message, metadata, level, path, status_code)
SELECT
    reinterpretAsUUID(sipHash128('auth_logs', id)),
    project,
    timestamp - toIntervalMicrosecond(cityHash64(id) % 9000),
    concat(own_path, ' | request completed | ', status_code, ' | ', 1 + cityHash64(id) % 90, 'ms'),
    metadata,
    multiIf(status_code >= 500, 'error', status_code >= 400, 'warning', 'info'),
    substring(path, length('/auth/v1') + 1) AS own_path,
    status_code
FROM edge_logs
WHERE path LIKE '/auth/%'
