-- Which rows the views of the following files have seen: 0 says that a row was written before, and is filled in later,
-- 1 that the views roll it up as it comes. A row says so itself, so that none is counted twice or not at all, however
-- inserts, merges and this migration fall together.
ALTER TABLE function_relay_logs ADD COLUMN IF NOT EXISTS rolled_up UInt8 MATERIALIZED 0 COMMENT '1 where the rollups had the row as it came; 0 where they were filled with it later';
ALTER TABLE edge_logs ADD COLUMN IF NOT EXISTS rolled_up UInt8 MATERIALIZED 0 COMMENT '1 where the rollups had the row as it came; 0 where they were filled with it later';
ALTER TABLE custom_events ADD COLUMN IF NOT EXISTS rolled_up UInt8 MATERIALIZED 0 COMMENT '1 where the rollups had the row as it came; 0 where they were filled with it later';
