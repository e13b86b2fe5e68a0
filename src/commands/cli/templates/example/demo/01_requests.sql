-- Demonstration data: a request every 30 seconds of the last week. {now:…} is the time at which it is loaded; what looks
-- random is a hash of the row's number, so that the same time yields the same rows.
INSERT INTO requests (shop, timestamp, method, path, status, duration_ms)
WITH
    ['/', '/products', '/products/tea', '/products/coffee', '/cart', '/checkout'][1 + cityHash64(number, 'path') % 6] AS visited,
    cityHash64(number, 'outcome') % 100 AS outcome
SELECT
    ['harbour', 'harbour', 'station'][1 + cityHash64(number, 'shop') % 3],
    {now:DateTime64(3, 'UTC')} - toIntervalSecond(number * 30),
    if(visited IN ('/cart', '/checkout'), 'POST', 'GET'),
    visited,
    multiIf(outcome < 94, 200, outcome < 97, 404, outcome < 99, 302, 503),
    20 + cityHash64(number, 'duration') % 180 + if(visited = '/checkout', 400, 0)
FROM numbers(20160)
