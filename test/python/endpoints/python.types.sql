/*
name: python.types
id: 5d9f0a34-2f3b-4c1d-9a77-6f1b0c6d5e02
summary: The least, the greatest and the odd values of each type.
columns:
  n: UInt8
  u64: UInt64
  i64: Int64
  u16: Nullable(UInt16)
  maybe_u64: Nullable(UInt64)
  f64: Float64
  maybe_f64: Nullable(Float64)
  decimal: Decimal(38, 9)
  flag: Bool
  day: Date
  second: DateTime('UTC')
  microsecond: DateTime64(6, 'UTC')
  maybe_second: Nullable(DateTime('UTC'))
  uuid: UUID
caching: 600
tables: true
example: {}
*/
SELECT *
FROM values(
  'n UInt8, u64 UInt64, i64 Int64, u16 Nullable(UInt16), maybe_u64 Nullable(UInt64), f64 Float64,
   maybe_f64 Nullable(Float64), decimal Decimal(38, 9), flag Bool, day Date, second DateTime(\'UTC\'),
   microsecond DateTime64(6, \'UTC\'), maybe_second Nullable(DateTime(\'UTC\')), uuid UUID',
  (1, 18446744073709551615, -9223372036854775808, 65535, 18446744073709551615, 0.1,
   0.1, '-99999999999999999999999999999.999999999', true, '2026-05-17', '2026-05-17 10:05:03',
   '2026-05-17 10:05:03.123456', '2026-05-17 10:05:03', 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
  (2, 9223372036854775808, 9223372036854775807, 0, 9007199254740993, -1.7976931348623157e308,
   123456789.12345679, '0.000000001', false, '1970-01-01', '1970-01-01 00:00:00',
   '1969-12-31 23:59:59.999999', '1999-12-31 23:59:59', '00000000-0000-0000-0000-000000000000'),
  (3, 9007199254740993, -1, NULL, NULL, 5e-324,
   NULL, '12345678901234567890.5', true, '2149-06-06', '2106-02-07 06:28:15',
   '2262-04-11 23:47:16.854775', NULL, '12345678-9012-3456-7890-123456789012')
)
ORDER BY n
