/*
name: get-grouped-stats-events-logs
id: 2b9e4d6f-7c1a-4f0b-8e5d-a1c3b5d7e922
summary: Custom events per day, as a file in SQL.
parameters:
  level: { kind: string, description: Only records with this level. }
  user_id: { kind: string, description: Only records with this user_id. }
  profile_id: { kind: string, description: Only records with this profile_id. }
  view_id: { kind: string, description: Only records with this view_id. }
  event_target: { kind: string, description: Only records with this event_target. }
  event_name: { kind: string, description: Only records with this event_name. }
  referrer: { kind: string, description: Only records with this referrer. }
  city: { kind: string, description: Only records with this city. }
  country: { kind: string, description: Only records with this country. }
  device: { kind: string, description: Only records with this device. }
  language: { kind: string, description: Only records with this language. }
  utm_params: { kind: string, description: Only records with this utm_params. }
  search_term: { kind: string, description: 'Only records whose event_message contains this text, in any letter case.' }
  event_type: { kind: string, description: Only records with this event_type. }
  include_unique: { kind: string, description: 'true: view also means unique_view, and click unique_click.' }
  event_ids: { kind: string-list, set: true, verbatim: true, description: Only records whose event_id is one of these. }
  start_time: { kind: timestamp, subMicrosecond: ceil, empty: problem, description: Only records at or after this time. }
  end_time: { kind: timestamp, empty: problem, description: Only records at or before this time. }
columns:
  group_time: DateTime64(0, 'UTC')
  event_id: Nullable(String)
  event_name: Nullable(String)
  city: LowCardinality(Nullable(String))
  country: LowCardinality(Nullable(String))
  device: LowCardinality(Nullable(String))
  language: LowCardinality(Nullable(String))
  referrer: Nullable(String)
  event_type: LowCardinality(Nullable(String))
  utm_params: Nullable(String)
  total_hits: UInt64
caching: 1000
example: { event_type: view, include_unique: 'true', country: DE }
*/
SELECT
  toDateTime64(toStartOfDay(timestamp), 0, 'UTC') AS group_time,
  event_id, event_name, city, country, device, language, referrer, event_type, utm_params,
  count() AS total_hits
FROM custom_events
WHERE true
  [[ AND level = @level ]]
  [[ AND user_id = @user_id ]]
  [[ AND profile_id = @profile_id ]]
  [[ AND view_id = @view_id ]]
  [[ AND event_target = @event_target ]]
  [[ AND event_name = @event_name ]]
  [[ AND referrer = @referrer ]]
  [[ AND city = @city ]]
  [[ AND country = @country ]]
  [[ AND device = @device ]]
  [[ AND language = @language ]]
  [[ AND utm_params = @utm_params ]]
  [[ AND position(caseFoldUTF8(toValidUTF8(event_message)), caseFoldUTF8(toValidUTF8(@search_term))) > 0 ]]
  [[ AND (event_type = @event_type
    [[ OR @include_unique = 'true' AND @event_type IN ('view', 'click') AND event_type = concat('unique_', @event_type) ]]) ]]
  [[ AND has(@event_ids, event_id) ]]
  [[ AND timestamp >= @start_time ]]
  [[ AND timestamp <= @end_time ]]
GROUP BY group_time, event_id, event_name, city, country, device, language, referrer, event_type, utm_params
ORDER BY
  group_time,
  event_id NULLS FIRST,
  event_name NULLS FIRST,
  city NULLS FIRST,
  country NULLS FIRST,
  device NULLS FIRST,
  language NULLS FIRST,
  referrer NULLS FIRST,
  event_type NULLS FIRST,
  utm_params NULLS FIRST;
