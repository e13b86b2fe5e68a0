/*
name: python.record-count
id: 5d9f0a34-2f3b-4c1d-9a77-6f1b0c6d5e06
summary: How many records of aurora logs.all has after a time.
parameters:
  since: { kind: timestamp, required: true, description: Only records after this time. }
columns:
  records: UInt64
caching: disabled
example: { since: '2026-01-01' }
*/
SELECT count() AS records
FROM edge_logs
WHERE project = 'aurora' AND timestamp > @since
