-- The REST API's own log of its requests at the edge, as a web server writes it.
INSERT INTO rest_logs (id, project, timestamp, event_message, metadata, level)
SELECT
    reinterpretAsUUID(sipHash128('rest_logs', id)),
    project,
    timestamp - toIntervalMicrosecond(cityHash64(id) % 4000),
    concat(
        JSONExtractString(metadata, 'request', 'headers', 'cf_connecting_ip'),
        ' - web_anon [', formatDateTime(timestamp, '%d/%b/%Y:%H:%i:%S +0000'), '] "',
        method, ' ', substring(path, length('/rest/v1') + 1), ' HTTP/1.1" ', status_code),
    metadata,
    multiIf(status_code >= 500, 'error', status_code >= 400, 'warning', 'info')
FROM edge_logs
WHERE path LIKE '/rest/%'
