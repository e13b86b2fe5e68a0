-- An insert that began before the column was there writes rows without it.
-- querygate: wait for inserts;
ALTER TABLE function_relay_logs MATERIALIZE COLUMN rolled_up SETTINGS mutations_sync = 2;
ALTER TABLE edge_logs MATERIALIZE COLUMN rolled_up SETTINGS mutations_sync = 2;
ALTER TABLE custom_events MATERIALIZE COLUMN rolled_up SETTINGS mutations_sync = 2;
