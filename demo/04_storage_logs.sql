-- The storage API's own log of its requests at the edge.
INSERT INTO storage_logs (id, project, timestamp, event_message, metadata, level)
SELECT
    reinterpretAsUUID(sipHash128('storage_logs', id)),
    project,
    timestamp - toIntervalMicrosecond(cityHash64(id) % 9000),
    concat(method, ' | ', status_code, ' | ', substring(path, length('/storage/v1') + 1)),
    metadata,
    multiIf(status_code >= 500, 'error', status_code >= 400, 'warning', 'info')
FROM edge_logs
WHERE path LIKE '/storage/%'
