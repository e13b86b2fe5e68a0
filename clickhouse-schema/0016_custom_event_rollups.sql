-- What the grouped stats count, a row a group. A key is empty for null, and else `=` and the value: so they sort as the
-- endpoints do, nulls first, and the first groups of an answer are read without the others.
CREATE TABLE IF NOT EXISTS custom_event_days
(
    day Date32 COMMENT 'Day of the events, in UTC',
    event_id_key String COMMENT 'Event identifier' CODEC(ZSTD(1)),
    event_name_key String COMMENT 'Event name' CODEC(ZSTD(1)),
    city_key LowCardinality(String) COMMENT 'City',
    country_key LowCardinality(String) COMMENT 'Country',
    device_key LowCardinality(String) COMMENT 'Device',
    language_key LowCardinality(String) COMMENT 'Language',
    referrer_key String COMMENT 'Where the visitor came from' CODEC(ZSTD(1)),
    event_type_key LowCardinality(String) COMMENT 'Type',
    utm_params_key String COMMENT 'Campaign parameters' CODEC(ZSTD(1)),
    hits SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of events' CODEC(T64, ZSTD(1)),
    INDEX event_names event_name_key TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (day, event_id_key, event_name_key, city_key, country_key, device_key, language_key, referrer_key, event_type_key, utm_params_key)
TTL day + INTERVAL 91 DAY DELETE
SETTINGS index_granularity = 1024
COMMENT 'Custom events a day and group';

CREATE TABLE IF NOT EXISTS redirect_days
(
    day Date32 COMMENT 'Day of the events, in UTC',
    event_name_key String COMMENT 'Event name' CODEC(ZSTD(1)),
    country_key LowCardinality(String) COMMENT 'Country',
    device_key LowCardinality(String) COMMENT 'Device',
    language_key LowCardinality(String) COMMENT 'Language',
    referrer_key String COMMENT 'Where the visitor came from' CODEC(ZSTD(1)),
    utm_params_key String COMMENT 'Campaign parameters' CODEC(ZSTD(1)),
    hits SimpleAggregateFunction(sum, UInt64) COMMENT 'Number of events' CODEC(T64, ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (day, event_name_key, country_key, device_key, language_key, referrer_key, utm_params_key)
TTL day + INTERVAL 91 DAY DELETE
SETTINGS index_granularity = 1024
COMMENT 'Redirects a day and group';

CREATE MATERIALIZED VIEW IF NOT EXISTS custom_event_days_view TO custom_event_days AS
SELECT
    toDate32(event.timestamp) AS day,
    if(isNull(event.event_id), '', concat('=', event.event_id)) AS event_id_key,
    if(isNull(event.event_name), '', concat('=', event.event_name)) AS event_name_key,
    if(isNull(event.city), '', concat('=', event.city)) AS city_key,
    if(isNull(event.country), '', concat('=', event.country)) AS country_key,
    if(isNull(event.device), '', concat('=', event.device)) AS device_key,
    if(isNull(event.language), '', concat('=', event.language)) AS language_key,
    if(isNull(event.referrer), '', concat('=', event.referrer)) AS referrer_key,
    if(isNull(event.event_type), '', concat('=', event.event_type)) AS event_type_key,
    if(isNull(event.utm_params), '', concat('=', event.utm_params)) AS utm_params_key,
    count() AS hits
FROM custom_events AS event
WHERE event.rolled_up = 1
GROUP BY day, event_id_key, event_name_key, city_key, country_key, device_key, language_key, referrer_key, event_type_key, utm_params_key;

CREATE MATERIALIZED VIEW IF NOT EXISTS redirect_days_view TO redirect_days AS
SELECT
    toDate32(event.timestamp) AS day,
    if(isNull(event.event_name), '', concat('=', event.event_name)) AS event_name_key,
    if(isNull(event.country), '', concat('=', event.country)) AS country_key,
    if(isNull(event.device), '', concat('=', event.device)) AS device_key,
    if(isNull(event.language), '', concat('=', event.language)) AS language_key,
    if(isNull(event.referrer), '', concat('=', event.referrer)) AS referrer_key,
    if(isNull(event.utm_params), '', concat('=', event.utm_params)) AS utm_params_key,
    count() AS hits
FROM custom_events AS event
WHERE event.rolled_up = 1 AND event.event_type = 'url_redirect'
GROUP BY day, event_name_key, country_key, device_key, language_key, referrer_key, utm_params_key;
