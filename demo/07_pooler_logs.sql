-- The connection pooler's log: one line for every fourth REST request; for failed requests, the reason.
INSERT INTO pooler_logs (id, project, timestamp, event_message, metadata, level)
WITH
    if(status_code >= 500, 100, 0) + cityHash64(id, 'line') % 100 AS line,
    multiIf(
        line < 40, ('info', 'ClientHandler: client connected from 10.0.4.12, port 51344'),
        line < 78, ('info', 'ClientHandler: socket closed'),
        line < 93, ('info', 'DbHandler: connection of the pool ready after 12.4 ms'),
        line < 98, ('warning', 'DbHandler: query waited 340.8 ms for a connection'),
        line < 100, ('error', 'ClientHandler: authentication of user "authenticator" failed'),
        line < 175, ('error', 'MaxClientsInSessionMode: max clients reached'),
        ('error', 'DbHandler: connection closed while in use')) AS level_and_message
SELECT
    reinterpretAsUUID(sipHash128('pooler_logs', id)),
    project,
    timestamp,
    level_and_message.2,
    concat('{"tenant":"', project, '","mode":"transaction","user":"authenticator"}'),
    level_and_message.1
FROM edge_logs
WHERE path LIKE '/rest/%' AND cityHash64(id, 'pooler') % 4 = 0
