import { LRUCache } from 'lru-cache';

import { quoteText } from '../../endpoint/quote-sql.js';
import { attribute, nodesIn } from '../facts/facts.js';
import { itemsOf, readTree, type TreeNode } from '../facts/tree.js';
import type { AnalyzeSql } from '../query/sandboxed-select.js';
import type { SingleFlightCaller } from '../query/single-flight.js';

/** A type of times whose zone is that of the session: of one with a zone of its own, every function uses that. */
const WITHOUT_ZONE = /\bDateTime(?![\w(])|\bDateTime\((?!\\?')|\bDateTime64\(\d+\)/;

/** Functions that read a clock or a calendar in the zone of the session, without a type that shows it. */
const NAMED =
  /^(?:today|yesterday|curdate|current_date|timezone|timezoneOf|toUnixTimestamp\w*|fromUnixTimestamp\w*|parseDateTime\w*|dateDiff|date_diff|timestampDiff|age|toRelative\w*Num|toYYYYMMDDhhmmss|formatDateTime\w*|dateName)$/i;

const TO_DATE = /^(?:toDate\w*|CAST|_CAST|accurateCast\w*)$/;
const DATES = /^(?:Nullable\()?Date(?:32)?\)?$/;
const TIMES = /\bDateTime/;
const WITHIN_DATES = /\bDate(?:32)?\b/;
/** Types that can be a number of seconds, within arrays and tuples too. */
const NUMBERS = /Int|Float|Decimal|Bool|Enum|Dynamic|Variant|JSON/;

/** Whether rows of a WITH query can depend on the zone of the session, which its own SETTINGS cannot pin. */
export type CheckZone = (text: string, caller: SingleFlightCaller) => Promise<boolean>;

/** Creates the check, by ClickHouse's types of each expression. What is not certain depends on the zone. */
export function createZoneCheck(analyzeSql: AnalyzeSql): CheckZone {
  const known = new LRUCache<string, { readonly depends: boolean }>({ max: 1000 });
  return async (text, caller) => {
    // Of values only the types matter.
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
  // A number of seconds becomes the day that it is in the zone.
  const [from = ''] = types;
  const isOfNumbers = !/String|Date/.test(from) || NUMBERS.test(from);
  if (WITHIN_DATES.test(type) && TO_DATE.test(name) && isOfNumbers) return true;
  // A day is compared with a time as the midnight of the zone.
  return types.some((each) => DATES.test(each)) && types.some((each) => TIMES.test(each));
}

const typeOf = (node: TreeNode): string =>
  attribute(node, 'result_type') ||
  (/, constant_value_type: (.*)$/s.exec(attribute(node, 'constant_value'))?.[1] ?? '');
