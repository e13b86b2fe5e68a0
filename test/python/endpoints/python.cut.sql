/*
name: python.cut
id: 5d9f0a34-2f3b-4c1d-9a77-6f1b0c6d5e03
summary: Rows of which the row cap leaves two out where there is no list.
parameters:
  names: { kind: string-list, empty: omitted, description: Only rows with one of these names. }
columns:
  n: UInt64
  name: String
maxRows: 3
caching: 600
tables: true
example: { names: ada }
*/
SELECT n, name
FROM values('n UInt64, name String', (1, 'ada'), (2, 'bob'), (3, 'cy'), (4, 'dee'), (5, 'eve'))
WHERE true [[ AND name IN (@names) ]]
ORDER BY n
