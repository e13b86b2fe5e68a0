import { printable, textTable } from '../cli/text-table.js';
import { type Replay, type ReplayedEndpoint, type Verdict } from './compare-versions.js';
import { FLOAT_TOLERANCE } from './difference-of-runs.js';
import type { RecordedCall } from './recorded-calls.js';

/** A replay, and what there was to replay. */
export interface ReplayReport extends Replay {
  readonly recorded: readonly RecordedCall[];
  readonly budgetMs: number;
  readonly against: string;
  /** Names of the endpoints whose definitions differ. */
  readonly changed: readonly string[];
}

/** The figures of an endpoint. */
export interface EndpointFigures extends Readonly<Record<Verdict, number>> {
  readonly endpoint: string;
  /** Number of calls that did not run, because both queries are the same; included in the equal ones. */
  readonly same: number;
  /** Number of equal calls without rows, whose equality proves little. */
  readonly withoutRows: number;
  readonly rowsRead: BeforeAndAfter;
  readonly clickhouseMs: BeforeAndAfter;
}

interface BeforeAndAfter {
  readonly before: number;
  readonly after: number;
}

export function tallyOf({ endpoint, same, replayed }: ReplayedEndpoint): EndpointFigures {
  const count = (wanted: Verdict): number => replayed.filter(({ verdict }) => verdict === wanted).length;
  const sum = (figure: 'rowsRead' | 'clickhouseMs'): BeforeAndAfter => ({
    before: Math.round(replayed.reduce((total, { before }) => total + before[figure], 0)),
    after: Math.round(replayed.reduce((total, { after }) => total + after[figure], 0)),
  });
  return {
    ...{ endpoint, same, equal: same + count('equal'), differs: count('differs'), error: count('error') },
    ...{ repaired: count('repaired'), new: count('new'), failed: count('failed'), moving: count('moving') },
    withoutRows: replayed.filter(({ verdict, hasRows }) => verdict === 'equal' && !hasRows).length,
    ...{ rowsRead: sum('rowsRead'), clickhouseMs: sum('clickhouseMs') },
  };
}

/** What is replayed of what was recorded, in sentences. */
function summaryOf(report: ReplayReport): readonly string[] {
  const { recorded, covered, spentMs, budgetMs, against, endpoints } = report;
  const replayable = recorded.filter(({ omitted }) => omitted === '');
  const all = callsOf(replayable);
  const reasons = Object.entries(omittedOf(recorded)).map(([reason, calls]) => `${calls} (${reason})`);
  const isWhole = covered.distinct === replayable.length;
  const withoutRows = endpoints.reduce((sum, each) => sum + tallyOf(each).withoutRows, 0);
  const missing = notReplayed(report);
  return [
    `Compared with ${against}: ${covered.distinct} of ${replayable.length} distinct calls, ${covered.calls} of ${all} calls in all, in ${seconds(spentMs)} of ClickHouse.`,
    ...(isWhole ? [] : [`The budget of ${seconds(budgetMs)} ended before the others, which are less used.`]),
    ...(reasons.length > 0
      ? [`Not replayed, because their parameters are not recorded: ${reasons.join(', ')}.`]
      : []),
    ...(missing.length > 0 ? [`Changed, and not replayed: ${missing.join(', ')}.`] : []),
    ...(withoutRows > 0 ? [`Equal, but without rows: ${withoutRows} distinct calls.`] : []),
    `Values of Float types are equal within ${FLOAT_TOLERANCE} of their size.`,
  ];
}

/** The changed endpoints without a compared call, and the number of calls whose parameters are not recorded. */
function notReplayed({ changed, endpoints, recorded }: ReplayReport): readonly string[] {
  const replayed = new Set(endpoints.map(({ endpoint }) => endpoint));
  return changed
    .filter((name) => !replayed.has(name))
    .map((name) => {
      const calls = callsOf(recorded.filter(({ endpoint }) => endpoint === name));
      return `${name} (${calls === 0 ? 'no calls' : `none of ${calls} calls`})`;
    });
}

/** How many calls were not recorded with their parameters, by reason. */
function omittedOf(recorded: readonly RecordedCall[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { omitted, calls } of recorded)
    if (omitted !== '') counts[omitted] = (counts[omitted] ?? 0) + calls;
  return counts;
}

const callsOf = (calls: readonly RecordedCall[]): number =>
  calls.reduce((sum, { calls: count }) => sum + count, 0);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const HEADINGS = [
  'ENDPOINT',
  'EQUAL',
  'DIFFERENT',
  'ERRORS',
  'REPAIRED',
  'FAILED',
  'MOVING',
  'ROWS READ',
  'MS',
];
const arrow = ({ before, after }: BeforeAndAfter): string => `${before} → ${after}`;

const WITHOUT_FIGURES = Array.from({ length: HEADINGS.length - 2 }, () => '-');

function cellsOf(figures: EndpointFigures): readonly string[] {
  const { endpoint, same, equal, differs, error, repaired, failed, moving, rowsRead, clickhouseMs } = figures;
  const others = equal + differs + error + repaired + failed + moving;
  if (same === others && figures.new === 0) return [endpoint, 'same queries', ...WITHOUT_FIGURES];
  if (others === 0) return [endpoint, 'new', ...WITHOUT_FIGURES];
  return [
    endpoint,
    ...[equal, differs, error, repaired, failed, moving].map(String),
    arrow(rowsRead),
    arrow(clickhouseMs),
  ];
}

/** The first call of each endpoint with a verdict other than equal: what was called, and how it is different. */
function findingsOf({ endpoints }: ReplayReport): readonly (readonly [call: string, explanation: string])[] {
  return endpoints.flatMap(({ replayed }) => {
    const first = (['error', 'differs', 'repaired', 'failed'] as const).flatMap(
      (wanted) => replayed.find(({ verdict }) => verdict === wanted) ?? [],
    );
    return first.map(({ call, explanation }) => [shownCall(call), explanation] as const);
  });
}

/** Characters of a value in a report; `--format json` has all of them. */
const MAX_SHOWN = 200;

function shownCall({ endpoint, parameters, pins, calls }: RecordedCall): string {
  const given = JSON.parse(parameters) as readonly (readonly [string, unknown])[];
  const short = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
  const shown = given.map(
    ([name, value]) => `${name}=${short(Array.isArray(value) ? value.join(',') : String(value))}`,
  );
  const pinned = pins === '' ? '' : `, pinned ${pins}`;
  return printable(`${endpoint}?${shown.join('&')}${pinned}, called ${calls} times`);
}

/** The report for a terminal. */
export function textReport(report: ReplayReport): string {
  const rows = report.endpoints.map((each) => cellsOf(tallyOf(each)));
  const table = rows.length > 0 ? textTable([HEADINGS, ...rows], new Set([1, 2, 3, 4, 5, 6, 7, 8])) : '';
  const findings = findingsOf(report).map(([call, explanation]) => `\n${call}\n${explanation}\n`);
  return `${summaryOf(report).join('\n')}\n${table}${findings.join('')}`;
}

/** The report for a comment on a pull request. */
export function markdownReport(report: ReplayReport): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rows = report.endpoints.map((each) => line(cellsOf(tallyOf(each))));
  const findings = findingsOf(report).map(
    ([call, explanation]) => `\n\`${call.replaceAll('`', 'ʼ')}\`\n\n${fenced(explanation)}\n`,
  );
  const table = [line(HEADINGS), line(HEADINGS.map(() => '---')), ...rows].join('\n');
  return `${summaryOf(report).join(' ')}\n\n${table}\n${findings.join('')}`;
}

/** A block of text whose fence no line of the text can end. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The report for programs. */
export function jsonReport(report: ReplayReport): string {
  const { recorded, endpoints, covered, spentMs, budgetMs, against } = report;
  const omitted = omittedOf(recorded);
  return `${JSON.stringify(
    {
      against,
      recorded: { distinct: recorded.filter((call) => call.omitted === '').length, omitted },
      notReplayed: notReplayed(report),
      ...{ covered, budgetMs, spentMs: Math.round(spentMs), floatTolerance: FLOAT_TOLERANCE },
      endpoints: endpoints.map((each) => ({
        ...tallyOf(each),
        calls: each.replayed
          .filter(({ verdict }) => verdict !== 'equal')
          .map(({ call, verdict, explanation }) => ({
            ...{ verdict, explanation, calls: call.calls, pins: call.pins },
            parameters: JSON.parse(call.parameters) as unknown,
          })),
      })),
    },
    undefined,
    2,
  )}\n`;
}
