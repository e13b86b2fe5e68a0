-- querygate: fill custom_event_days from custom_events a day at a time
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
WHERE event.rolled_up = 0 AND toDate32(event.timestamp) = {day:Date32}
GROUP BY day, event_id_key, event_name_key, city_key, country_key, device_key, language_key, referrer_key, event_type_key, utm_params_key;
