import { LRUCache } from 'lru-cache';

import { quoteText } from '../../endpoint/quote-sql.js';
import { attribute, nodesIn } from '../facts/facts.js';
import { itemsOf, readTree, type TreeNode } from '../facts/tree.js';
import type { AnalyzeSql } from '../query/sandboxed-select.js';
import type { SingleFlightCaller } from '../query/single-flight.js';

/** A time type without a time zone, which every function then reads in the zone of the session. */
const WITHOUT_ZONE = /\bDateTime(?![\w(])|\bDateTime\((?!\\?')|\bDateTime64\(\d+\)/;

/** Functions that use the zone of the session although no type shows it. */
const NAMED =
  /^(?:today|yesterday|curdate|current_date|timezone|timezoneOf|toUnixTimestamp\w*|fromUnixTimestamp\w*|parseDateTime\w*|dateDiff|date_diff|timestampDiff|age|toRelative\w*Num|toYYYYMMDDhhmmss|formatDateTime\w*|dateName)$/i;

const TO_DATE = /^(?:toDate\w*|CAST|_CAST|accurateCast\w*)$/;
const DATES = /^(?:Nullable\()?Date(?:32)?\)?$/;
const TIMES = /\bDateTime/;
const WITHIN_DATES = /\bDate(?:32)?\b/;
/** Types that can be a number of seconds, also within arrays and tuples. */
const NUMBERS = /Int|Float|Decimal|Bool|Enum|Dynamic|Variant|JSON/;

/** Whether rows of a WITH query can depend on the session's time zone, which the query's own SETTINGS cannot pin. */
export type CheckZone = (text: string, caller: SingleFlightCaller) => Promise<boolean>;

/** Creates the check, which uses ClickHouse's type of each expression. In doubt the rows depend on the zone. */
export function createZoneCheck(analyzeSql: AnalyzeSql): CheckZone {
  const known = new LRUCache<string, { readonly depends: boolean }>({ max: 1000 });
  return async (text, caller) => {
    // Only the types of parameters matter, so default values replace them and other values share the cached answer.
    const typed = text.replaceAll(
      /\{\w+:([^{}]+)\}/g,
      (_, type: string) => `defaultValueOfTypeName(${quoteText(type)})`,
    );
    const found = known.get(typed);
    if (found) return found.depends;
    const lines = await analyzeSql(caller, (parser, signal) =>
      parser.lines(`EXPLAIN QUERY TREE run_passes = 1 ${typed}`, signal),
    );
    const depends = [...nodesIn(readTree(lines))].some(dependsOnZone);
    known.set(typed, { depends });
    return depends;
  };
}

function dependsOnZone(node: TreeNode): boolean {
  const type = typeOf(node);
  if (WITHOUT_ZONE.test(type)) return true;
  if (node.kind !== 'FUNCTION') return false;
  const name = attribute(node, 'function_name');
  if (NAMED.test(name)) return true;
  const types = itemsOf(node, 'ARGUMENTS').map(typeOf);
  // A conversion from seconds to a day uses the session's zone.
  const [from = ''] = types;
  const isOfNumbers = !/String|Date/.test(from) || NUMBERS.test(from);
  if (WITHIN_DATES.test(type) && TO_DATE.test(name) && isOfNumbers) return true;
  // To compare a day with a time, ClickHouse takes the day's midnight in the session's zone.
  return types.some((each) => DATES.test(each)) && types.some((each) => TIMES.test(each));
}

const typeOf = (node: TreeNode): string =>
  attribute(node, 'result_type') ||
  (/, constant_value_type: (.*)$/s.exec(attribute(node, 'constant_value'))?.[1] ?? '');
