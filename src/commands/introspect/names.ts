import { isParameterName } from '../../endpoint/check-definition.js';
import { quoteName } from '../../endpoint/quote-sql.js';

/** A ClickHouse name as a name of an endpoint: `Page_Views` becomes `page-views`. Empty where no character is valid. */
export function endpointName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/-*\.[-.]*/g, '.')
    .replaceAll(/^[.-]+|[.-]+$/g, '');
}

/** Maximum number of columns whose names become the same name. */
const MAX_EQUAL = 1000;

/**
 * A ClickHouse name as an unused name of a parameter; undefined where no character is valid.
 *
 * @param taken the used names, to which the name is added.
 */
export function parameterName(name: string, taken: Set<string>): string | undefined {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|_+$/g, '');
  if (plain === '') return undefined;
  let free = plain;
  for (let count = 2; !isParameterName(free) || taken.has(free); count += 1) {
    if (count > MAX_EQUAL) return undefined;
    free = count === 2 ? `${plain}_value` : `${plain}_${count}`;
  }
  taken.add(free);
  return free;
}

/**
 * Words that ClickHouse could read as something other than a column or table; of the words of `system.keywords`, a test finds
 * those that are missing.
 */
const KEYWORDS = new Set(
  (
    'all and anti any array as asc asof between by case cast columns constraint cross cube desc distinct else end escape ' +
    'except exists explain extract false fetch final following format from full global group having ilike in index inner ' +
    'insert intersect interval into is join left like limit not null nulls offset on or order outer over paste preceding ' +
    'prewhere projection qualify right rollup sample select semi settings substring then ties top totals trim true union using when ' +
    'where window with'
  ).split(' '),
);

/** A name in SQL, in quotes only where it needs them. */
export function sqlName(name: string): string {
  return /^[a-z_]\w*$/i.test(name) && !KEYWORDS.has(name.toLowerCase()) ? name : quoteName(name);
}
