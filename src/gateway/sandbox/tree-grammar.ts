import type { Grammar } from '../facts/tree.js';

const kind = (name: string, ...attributes: readonly string[]): readonly [string, ReadonlySet<string>] => [
  name,
  new Set(attributes),
];

const KINDS: Grammar['kinds'] = new Map([
  kind(
    'QUERY',
    'alias',
    'is_subquery',
    'is_cte',
    'cte_name',
    'is_distinct',
    'is_limit_with_ties',
    'group_by_type',
    'is_group_by_with_totals',
    'is_group_by_all',
    'is_order_by_all',
    'is_limit_by_all',
  ),
  kind('UNION', 'alias', 'is_subquery', 'is_cte', 'cte_name', 'union_mode'),
  kind('LIST', 'nodes'),
  kind('IDENTIFIER', 'alias', 'identifier'),
  kind('CONSTANT', 'alias', 'constant_value'),
  kind('FUNCTION', 'alias', 'function_name', 'function_type', 'nulls_action'),
  // `alias` is allowed here only so that the check can reject it with its own message.
  kind('LAMBDA', 'alias'),
  kind('MATCHER', 'matcher_type', 'qualified_identifier', 'column_identifiers'),
  kind('APPLY COLUMN TRANSFORMER', 'apply_transformer_type'),
  kind('EXCEPT COLUMN TRANSFORMER', 'except_transformer_type', 'identifiers'),
  kind('REPLACE COLUMN TRANSFORMER'),
  kind('SORT', 'sort_direction', 'nulls_sort_direction', 'with_fill'),
  kind('INTERPOLATE'),
  kind('WINDOW', 'alias', 'parent_window_name', 'frame_type', 'frame_begin_type', 'frame_end_type'),
  kind('JOIN', 'alias', 'locality', 'strictness', 'kind'),
  kind('CROSS JOIN', 'alias'),
  kind('ARRAY_JOIN', 'alias', 'is_left'),
  // Statements may read `values`. Other table functions are allowed here only so that the check can reject them with its own message.
  kind('TABLE_FUNCTION', 'alias', 'table_function_name', 'final', 'sample_size', 'sample_offset'),
]);

const SECTIONS = [
  'WITH',
  'PROJECTION',
  'JOIN TREE',
  'PREWHERE',
  'WHERE',
  'GROUP BY',
  'HAVING',
  'WINDOW',
  'QUALIFY',
  'ORDER BY',
  'INTERPOLATE',
  'LIMIT BY LIMIT',
  'LIMIT BY OFFSET',
  'LIMIT BY',
  'LIMIT',
  'OFFSET',
  'QUERIES',
  'PARAMETERS',
  'ARGUMENTS',
  'EXPRESSION',
  'EXPRESSION ',
  'INTERPOLATE_EXPRESSION',
  'FILL FROM',
  'FILL TO',
  'FILL STEP',
  'FILL STALENESS',
  'PARTITION BY',
  'FRAME BEGIN OFFSET',
  'FRAME END OFFSET',
  'TABLE EXPRESSION',
  'LEFT TABLE EXPRESSION',
  'RIGHT TABLE EXPRESSION',
  'JOIN EXPRESSION',
  'JOIN EXPRESSIONS',
  'REPLACEMENTS ',
  'REPLACEMENT NAME ',
];

/** Allowed contents of the tree of a caller's query. Everything else is rejected. */
export const CALLERS_GRAMMAR: Grammar = { kinds: KINDS, sections: SECTIONS, maxNodes: 4000 };
