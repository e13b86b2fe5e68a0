/*
name: NAME
id: 00000000-0000-4000-8000-000000000000
summary: Orders of a product. Say here what callers get.
parameters:
  product: { kind: string, required: true, description: Name of the product. }
  least: { kind: integer, description: Only orders of at least this quantity. }
# After a change of the query, delete the columns: querygate check writes the new ones.
columns:
  ordered_on: Date
  product: String
  quantity: UInt32
example: { product: tea }
*/
SELECT ordered_on, product, quantity
-- Rows to try it with: put a table of yours in their place.
FROM values(
    'ordered_on Date, product String, quantity UInt32',
    ('2026-05-01', 'tea', 2), ('2026-05-02', 'coffee', 1), ('2026-05-02', 'tea', 5))
-- @product is bound by ClickHouse. The part in [[ ]] applies where the caller sends its parameter.
WHERE product = @product
  [[ AND quantity >= @least ]]
ORDER BY ordered_on, quantity
