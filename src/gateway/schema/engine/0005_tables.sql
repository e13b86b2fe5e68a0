ALTER TABLE gateway_requests
    ADD COLUMN IF NOT EXISTS tool String COMMENT 'User-Agent of the client of a statement over tables.',
    ADD COLUMN IF NOT EXISTS tables String COMMENT 'Names of the endpoints that a statement over tables reads, with commas between them.';
