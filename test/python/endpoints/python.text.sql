/*
name: python.text
id: 5d9f0a34-2f3b-4c1d-9a77-6f1b0c6d5e01
summary: Text that readers take for something else.
columns:
  n: UInt8
  text: String
  maybe: Nullable(String)
  category: LowCardinality(Nullable(String))
caching: 600
example: {}
*/
SELECT n, text, maybe, toLowCardinality(maybe) AS category
FROM values(
  'n UInt8, text String, maybe Nullable(String)',
  (1, 'NA', 'NA'),
  (2, '007', '007'),
  (3, '\\N', '\\N'),
  (4, '', ''),
  (5, 'a null', NULL),
  (6, 'null', 'null'),
  (7, 'a\0b', '\0'),
  (8, 'one\r\ntwo', '\r\n'),
  (9, 'one\ntwo\rthree', '\r'),
  (10, 'next\xC2\x85line', '\xC2\x85'),
  (11, 'line\xE2\x80\xA8paragraph\xE2\x80\xA9', '\xE2\x80\xA8'),
  (12, '"quoted", \'and\' comma', '"'),
  (13, 'tab\tand\\backslash', '\\'),
  (14, ' spaces ', ' '),
  (15, '1e5', '-0'),
  (16, 'true', 'False'),
  (17, '2026-05-17', 'nan'),
  (18, 'None', '#N/A'),
  (19, '=1+1', '-'),
  (20, 'naïve 日本 \xF0\x9F\xA6\x86', '\xEF\xBB\xBF'),
  (21, '\x0B\x0C\x1C\x1D\x1E', '\x1C')
)
ORDER BY n
