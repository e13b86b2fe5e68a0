-- What the fills of the files before were made in. Each stayed, empty, to say that it was over, until its file was recorded.
DROP TABLE IF EXISTS function_relay_minutes_filled SYNC;
DROP TABLE IF EXISTS function_relay_hours_filled SYNC;
DROP TABLE IF EXISTS function_relay_days_filled SYNC;
DROP TABLE IF EXISTS edge_request_minutes_filled SYNC;
DROP TABLE IF EXISTS edge_request_hours_filled SYNC;
DROP TABLE IF EXISTS custom_event_days_filled SYNC;
DROP TABLE IF EXISTS redirect_days_filled SYNC;
