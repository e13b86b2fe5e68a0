-- The database's log: one line for every fourth REST request; for failed requests, the reason.
INSERT INTO database_logs (id, project, timestamp, event_message, metadata, severity)
WITH
    if(status_code >= 500, 100, 0) + cityHash64(id, 'line') % 100 AS line,
    multiIf(
        line < 26, ('LOG', 'connection received: host=10.0.4.12 port=41522'),
        line < 52, ('LOG', 'connection authenticated: identity="authenticator" method=scram-sha-256'),
        line < 74, ('LOG', 'disconnection: session time: 0:00:01.204 user=authenticator database=postgres'),
        line < 88, ('LOG', 'duration: 1042.118 ms  statement: SELECT * FROM orders WHERE customer_id = $1'),
        line < 92, ('LOG', 'checkpoint complete: wrote 1204 buffers'),
        line < 96, ('ERROR', 'duplicate key value violates unique constraint "orders_pkey"'),
        line < 98, ('ERROR', 'new row violates row-level security policy for table "carts"'),
        line < 100, ('WARNING', 'there is no transaction in progress'),
        line < 160, ('FATAL', 'remaining connection slots are reserved for roles with the SUPERUSER attribute'),
        line < 190, ('ERROR', 'canceling statement due to statement timeout'),
        ('ERROR', 'deadlock detected')) AS severity_and_message
SELECT
    reinterpretAsUUID(sipHash128('database_logs', id)),
    project,
    timestamp,
    severity_and_message.2,
    concat('{"parsed":{"error_severity":"', severity_and_message.1, '","user_name":"authenticator"},"host":"db-', project, '"}'),
    severity_and_message.1
FROM edge_logs
WHERE path LIKE '/rest/%' AND cityHash64(id, 'database') % 4 = 0
