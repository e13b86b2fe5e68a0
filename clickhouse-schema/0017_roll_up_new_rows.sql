-- From here on the views see every insert that begins.
ALTER TABLE function_relay_logs MODIFY COLUMN rolled_up UInt8 MATERIALIZED 1;
ALTER TABLE edge_logs MODIFY COLUMN rolled_up UInt8 MATERIALIZED 1;
ALTER TABLE custom_events MODIFY COLUMN rolled_up UInt8 MATERIALIZED 1;
