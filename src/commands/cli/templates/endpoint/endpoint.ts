import { column, defineEndpoint, integer, sql, text, whenGiven, where } from 'querygate';

export default defineEndpoint({
  id: '00000000-0000-4000-8000-000000000000',
  name: 'NAME',
  summary: 'Orders of a product. Say here what callers get.',
  parameters: {
    product: text({ required: true, description: 'Name of the product.' }),
    least: integer({ description: 'Only orders of at least this quantity.' }),
  },
  // In the order of the SELECT, with the types that querygate check names.
  columns: {
    ordered_on: column('Date', 'Day of the order.'),
    product: column('String', 'Name of the product.'),
    quantity: column('UInt32', 'Number of items.'),
  },
  maxRows: 1000,
  caching: 60, // seconds
  warming: 0,
  sandboxing: 'disabled',
  example: { product: 'tea' },
  // A reference in ${} becomes a bound parameter, never text of the query.
  build: ({ product, least }) => sql`
    SELECT ordered_on, product, quantity
    -- Rows to try it with: put a table of yours in their place.
    FROM values(
        'ordered_on Date, product String, quantity UInt32',
        ('2026-05-01', 'tea', 2), ('2026-05-02', 'coffee', 1), ('2026-05-02', 'tea', 5))
    ${where(sql`product = ${product}`, whenGiven(least, sql`quantity >= ${least}`))}
    ORDER BY ordered_on, quantity`,
});
