-- Requests at the edge of four shops in the last 30 days: more by day than by night, fewer at weekends, with a few
-- incidents. The other files of this folder derive their rows from these.
--
-- {now:…} is a parameter. Everything that looks random is a hash of the row's number and a word, so that the same now
-- yields the same rows; a hash % 100 is a uniformly distributed whole number from 0 to 99.
INSERT INTO edge_logs (id, project, timestamp, event_message, metadata, method, url, path, status_code)
WITH
    -- The peak is an hour in UTC; night_percent is the share of its traffic twelve hours later.
    shops AS
    (
        SELECT * FROM VALUES
        (
            'project String, peak_hour UInt8, night_percent UInt8, functions Array(String)',
            ('aurora', 14, 35, ['checkout', 'checkout', 'search', 'search', 'resize-image', 'send-receipt', 'payment-webhook']),
            ('basalt', 19, 30, ['sync-inventory', 'sync-inventory', 'print-label', 'import-csv']),
            ('cobalt', 6, 40, ['embed-text', 'embed-text', 'moderate-message']),
            ('delta', 2, 80, ['poll-devices'])
        )
    ),
    -- The requests of users, with the status of a success and of a rejection. Each has a range of the slots from 0 to
    -- 99, and so that percentage of all requests.
    requests AS
    (
        SELECT slot, method, template, search, success, refusal
        FROM VALUES
        (
            'first UInt8, last UInt8, method String, template String, search String, success UInt16, refusal UInt16',
            (0, 11, 'GET', '/rest/v1/orders', '?select=*', 200, 401),
            (12, 17, 'GET', '/rest/v1/orders', '?select=id,total,items(*)&order=created_at.desc&limit=20', 206, 416),
            (18, 28, 'GET', '/rest/v1/products', '?select=*', 200, 401),
            (29, 35, 'GET', '/rest/v1/products', '?select=*&id=eq.:id', 200, 406),
            (36, 39, 'POST', '/rest/v1/orders', '', 201, 409),
            (40, 42, 'PATCH', '/rest/v1/carts', '?id=eq.:id', 204, 403),
            (43, 44, 'DELETE', '/rest/v1/carts', '?id=eq.:id', 204, 403),
            (45, 51, 'POST', '/auth/v1/token', '?grant_type=refresh_token', 200, 400),
            (52, 53, 'POST', '/auth/v1/token', '?grant_type=password', 200, 400),
            (54, 55, 'GET', '/auth/v1/user', '', 200, 403),
            (56, 56, 'POST', '/auth/v1/signup', '', 200, 422),
            (57, 60, 'GET', '/storage/v1/render/image/public/products/:id.webp', '?width=640', 200, 404),
            (61, 63, 'GET', '/storage/v1/object/public/avatars/:id.png', '', 304, 404),
            (64, 64, 'POST', '/storage/v1/object/invoices/:id.pdf', '', 200, 413),
            (65, 69, 'GET', '/realtime/v1/websocket', '?vsn=1.0.0', 101, 403),
            (70, 99, 'POST', '/functions/v1/:function', '', 200, 400)
        )
        ARRAY JOIN range(first, last + 1) AS slot
    ),
    -- One request every four seconds of the last eight days, and one every eight minutes of the three weeks before.
    moments AS
    (
        SELECT
            number,
            cityHash64(number, 'request') % 100 AS slot,
            cityHash64(number, 'shop') % 100 AS shop,
            multiIf(shop < 58, 'aurora', shop < 82, 'basalt', shop < 94, 'cobalt', 'delta') AS project,
            cityHash64(number, 'moment') % 1000000 / 1000000 AS jitter,
            if(number < 172800, (number + jitter) * 4, 691200 + (number - 172800 + jitter) * 480) AS seconds_ago,
            {now:DateTime64(6, 'UTC')} - toIntervalMicrosecond(toInt64(seconds_ago * 1000000)) AS timestamp,
            -- A few visitors come often, most rarely.
            toUInt32(30000 * pow(cityHash64(number, 'visitor') % 10000 / 10000, 2)) AS visitor
        FROM numbers(172800 + 3960)
    ),
    drawn AS
    (
        SELECT
            number,
            project,
            timestamp,
            method,
            toString(1000 + cityHash64(number, 'id') % 9000) AS thing,
            functions[1 + cityHash64(number, 'function') % length(functions)] AS function_id,
            replaceOne(replaceOne(template, ':id', thing), ':function', function_id) AS path,
            replaceOne(requests.search, ':id', thing) AS search,
            concat('198.18.', intDiv(visitor, 250), '.', 1 + visitor % 250) AS ip,
            [
                'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
                'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36',
                'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
                'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
                'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
                'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
            ][1 + cityHash64(visitor, 'browser') % 6] AS user_agent,
            -- The incidents: project, time, and percentage of requests that fail.
            multiIf(
                project = 'aurora' AND seconds_ago BETWEEN 17 * 60 AND 26 * 60, 60,
                project = 'aurora' AND seconds_ago BETWEEN 14 * 3600 AND 15 * 3600, 30,
                project = 'cobalt' AND seconds_ago BETWEEN 75 * 3600 AND 76 * 3600, 80,
                project = 'basalt' AND seconds_ago BETWEEN 125 * 3600 AND 128 * 3600, 25,
                0) AS failing_percent,
            cityHash64(number, 'mishap') % 1000 AS mishap,
            multiIf(
                cityHash64(number, 'incident') % 100 < failing_percent, [503, 503, 504, 500][1 + number % 4],
                mishap < 2, 500,
                mishap < 5, 429,
                mishap < 30, refusal,
                success) AS status_code
        FROM moments
        INNER JOIN shops USING (project)
        INNER JOIN requests USING (slot)
        -- Keeps a share of the times: all at the peak, night_percent at night, and three fifths of these at weekends.
        WHERE cityHash64(number, 'busy') % 100
            < (night_percent + (100 - night_percent) * (1 + cos(2 * pi() * (toHour(timestamp) - peak_hour) / 24)) / 2)
                * if(toDayOfWeek(timestamp) >= 6, 0.6, 1)
    )
SELECT
    reinterpretAsUUID(sipHash128('edge_logs', number)),
    project,
    timestamp,
    concat(method, ' | ', status_code, ' | ', ip, ' | ', url, ' | ', user_agent),
    concat(
        '{"request":{"method":"', method, '","url":"', url, '","path":"', path, '","search":"', search,
        '","headers":{"user_agent":"', user_agent, '","cf_connecting_ip":"', ip, '"}},',
        '"response":{"status_code":', status_code, '}}'),
    method,
    concat('https://', project, '.example.co', path, search) AS url,
    path,
    status_code
FROM drawn
