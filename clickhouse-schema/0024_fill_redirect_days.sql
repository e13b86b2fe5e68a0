-- querygate: fill redirect_days from custom_events a day at a time
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
WHERE event.rolled_up = 0 AND toDate32(event.timestamp) = {day:Date32} AND event.event_type = 'url_redirect'
GROUP BY day, event_name_key, country_key, device_key, language_key, referrer_key, utm_params_key;
