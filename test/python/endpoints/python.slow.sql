/*
name: python.slow
id: 5d9f0a34-2f3b-4c1d-9a77-6f1b0c6d5e04
summary: A query that never ends in time.
parameters:
  seconds: { kind: number, default: 0, minimum: 0, maximum: 3, description: How long each row takes. }
columns:
  n: UInt64
caching: disabled
queryLimits: { timeoutSeconds: 0.2 }
example: { seconds: '0' }
*/
SELECT n
FROM (SELECT number AS n, sleepEachRow(@seconds) AS waited FROM numbers(1))
WHERE waited = 0
ORDER BY n
