-- The realtime server's log of each connection at the edge: it joins, receives, and leaves minutes later.
INSERT INTO realtime_logs (id, project, timestamp, event_message, metadata, level)
SELECT
    reinterpretAsUUID(sipHash128('realtime_logs', id, step)),
    project,
    -- Nothing happens after now.
    least(timestamp + toIntervalMillisecond(step * (cityHash64(id) % 600000)), {now:DateTime64(6, 'UTC')}),
    multiIf(
        status_code >= 500, 'UnableToConnectToTenantDatabase: the database accepts no more connections',
        status_code >= 400, 'InvalidJWTToken: token has expired',
        step = 0, 'phx_join realtime:public:orders',
        step = 1, concat('broadcast to room:chat-', cityHash64(id) % 900),
        'phx_leave realtime:public:orders'),
    concat('{"external_id":"', project, '","node":"realtime@10.0.7.3"}'),
    multiIf(status_code >= 500, 'error', status_code >= 400, 'warning', step = 1, 'debug', 'info')
FROM edge_logs
ARRAY JOIN if(status_code >= 400, [0], [0, 1, 2]) AS step
WHERE path LIKE '/realtime/%'
