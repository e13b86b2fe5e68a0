/*
name: python.changing
id: 5d9f0a34-2f3b-4c1d-9a77-6f1b0c6d5e05
summary: Rows that all name the time of their query, so that each query gives another result of the same size.
columns:
  at: DateTime64(6, 'UTC')
  n: UInt64
maxRows: 1000000
caching: 600
example: {}
*/
SELECT toDateTime64(@now, 6, 'UTC') AS at, sipHash64(number) AS n
FROM numbers(60000)
ORDER BY number
