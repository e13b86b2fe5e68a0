-- What visitors of the shops see, click and follow: one event for every second request at the edge.
INSERT INTO custom_events
(
    id, timestamp, event_message, metadata, level, user_id, profile_id, view_id, event_type, event_target, event_id, event_name,
    referrer, city, country, device, language, utm_params
)
WITH
    -- As for the requests at the edge, an event has a range of the slots from 0 to 99: that percentage of all events.
    events AS
    (
        SELECT event_slot, *
        FROM VALUES
        (
            'first UInt8, last UInt8, event_id String, event_name String, event_type String, event_target String, shop String, campaign String',
            (0, 25, 'evt-101', 'Spring sale', 'view', 'https://aurora.example/spring', 'aurora', 'spring-sale'),
            (26, 37, 'evt-102', 'Été à Paris', 'view', 'https://aurora.example/ete', 'aurora', 'été-à-paris'),
            (38, 47, 'evt-103', 'App launch', 'view', 'https://cobalt.example/app', 'cobalt', 'app-launch'),
            (48, 51, 'evt-104', 'Webinar', 'view', 'https://basalt.example/webinar', 'basalt', 'webinar'),
            (52, 63, 'evt-201', 'Add to cart', 'click', 'button#add-to-cart', 'aurora', 'spring-sale'),
            (64, 69, 'evt-202', 'Get the app', 'click', 'a#store-badge', 'cobalt', 'app-launch'),
            (70, 72, 'evt-203', 'Save my seat', 'click', 'button#register', 'basalt', 'webinar'),
            (73, 85, 'evt-301', 'go/spring', 'url_redirect', 'https://aurora.example/spring', 'aurora', 'spring-sale'),
            (86, 93, 'evt-302', 'go/app', 'url_redirect', 'https://cobalt.example/app', 'cobalt', 'app-launch'),
            (94, 97, 'evt-303', 'go/webinar', 'url_redirect', 'https://basalt.example/webinar', 'basalt', 'webinar'),
            (98, 99, 'evt-401', 'Order placed', 'purchase', 'https://aurora.example/thanks', 'aurora', 'spring-sale')
        )
        ARRAY JOIN range(first, last + 1) AS event_slot
    ),
    -- How visitors arrive: from which site, and by which link of the campaign; null if by none.
    channels AS
    (
        SELECT channel_slot, *
        FROM VALUES
        (
            'first UInt8, last UInt8, referrer Nullable(String), utm_source Nullable(String), utm_medium String',
            (0, 29, NULL, NULL, ''),
            (30, 51, 'www.google.com', NULL, ''),
            (52, 71, NULL, 'newsletter', 'email'),
            (72, 83, 'www.instagram.com', 'instagram', 'social'),
            (84, 93, 'www.google.com', 'google', 'cpc'),
            (94, 99, 'blog.example.org', 'partner', 'referral')
        )
        ARRAY JOIN range(first, last + 1) AS channel_slot
    ),
    -- Where visitors are; for some only the country is known, for a few nothing.
    places AS
    (
        SELECT place_slot, *
        FROM VALUES
        (
            'first UInt8, last UInt8, country Nullable(String), city Nullable(String), language Nullable(String)',
            (0, 13, 'DE', 'Berlin', 'de'), (14, 20, 'DE', 'München', 'de'), (21, 24, 'DE', 'Hamburg', 'de'), (25, 27, 'DE', NULL, 'de'),
            (28, 37, 'US', 'New York', 'en'), (38, 43, 'US', 'San Francisco', 'en'), (44, 47, 'US', 'Austin', 'en'),
            (48, 56, 'GB', 'London', 'en'), (57, 59, 'GB', 'Manchester', 'en'), (60, 67, 'FR', 'Paris', 'fr'), (68, 70, 'FR', 'Lyon', 'fr'),
            (71, 74, 'CH', 'Zürich', 'de'), (75, 76, 'CH', 'Genève', 'fr'), (77, 81, 'IN', 'Bengaluru', 'en'), (82, 85, 'BR', 'São Paulo', 'pt'),
            (86, 89, 'JP', 'Tokyo', 'ja'), (90, 92, 'UA', 'Kyiv', 'uk'), (93, 95, 'SE', 'Stockholm', 'sv'), (96, 97, 'AU', 'Sydney', 'en'),
            (98, 99, NULL, NULL, NULL)
        )
        ARRAY JOIN range(first, last + 1) AS place_slot
    ),
    -- A visitor's address determines place and browser; four in ten are signed in.
    visits AS
    (
        SELECT
            id,
            timestamp,
            JSONExtractString(metadata, 'request', 'headers', 'user_agent') AS user_agent,
            JSONExtractString(metadata, 'request', 'headers', 'cf_connecting_ip') AS visitor,
            cityHash64(id, 'event') % 100 AS event_slot,
            cityHash64(id, 'channel') % 100 AS channel_slot,
            cityHash64(visitor, 'place') % 100 AS place_slot
        FROM edge_logs
        WHERE cityHash64(id, 'visit') % 2 = 0
    )
SELECT
    reinterpretAsUUID(sipHash128('custom_events', id)),
    timestamp,
    concat(type, ' ', event_name, ' ', event_target),
    concat(
        '{"session_id":"', lower(hex(cityHash64(visitor, toDate(timestamp)))),
        '","request":{"headers":{"user_agent":"', user_agent, '","cf_connecting_ip":"', visitor, '"}}}'),
    if(cityHash64(id, 'level') % 50 = 0, 'warning', 'info'),
    if(cityHash64(visitor, 'signed in') % 10 < 4, concat('user-', cityHash64(visitor) % 30000), NULL),
    concat('profile-', shop),
    if(event_type = 'url_redirect', NULL, lower(hex(cityHash64(id, 'view')))),
    -- The first view or click of a visitor is unique.
    if(event_type IN ('view', 'click') AND cityHash64(id, 'first') % 10 < 3, concat('unique_', event_type), event_type) AS type,
    event_target,
    event_id,
    event_name,
    referrer,
    city,
    country,
    multiIf(user_agent LIKE '%iPad%', 'tablet', user_agent LIKE '%Mobile%', 'mobile', 'desktop'),
    if(cityHash64(visitor, 'language') % 20 < 17, language, 'en'),
    if(utm_source IS NULL,
        NULL,
        concat('{"utm_source":"', utm_source, '","utm_medium":"', utm_medium, '","utm_campaign":"', campaign, '"}'))
FROM visits
INNER JOIN events USING (event_slot)
INNER JOIN channels USING (channel_slot)
INNER JOIN places USING (place_slot)
