import { drawBelow, drawPosition, literals, positionsByShare, type Shared, type Value } from './draws.js';

interface DemoFunction extends Shared {
  readonly name: string;
  readonly method: string;
  readonly medianMs: number;
  /** Sigma of the log-normal distribution: 0.3 is steady, 0.9 has a long tail. */
  readonly sigma: number;
}

interface DemoProject extends Shared {
  readonly name: string;
  readonly region: string;
  /** Hour of the day (UTC) at which its users are busiest. */
  readonly peakHour: number;
  /** What is left of the traffic at the quietest hour, as a share of that at the peak. */
  readonly atNight: number;
  /** Their shares add up to 20. */
  readonly functions: readonly DemoFunction[];
}

const FUNCTION_SHARES = 20;

/** Four shops: the largest in Europe, one in America, one in Asia, and one of vending machines, which sell at night too. */
const PROJECTS: readonly DemoProject[] = [
  {
    name: 'aurora',
    region: 'eu-central-1',
    share: 29,
    peakHour: 14,
    atNight: 0.35,
    functions: [
      { name: 'checkout', share: 7, method: 'POST', medianMs: 180, sigma: 0.7 },
      { name: 'search', share: 6, method: 'GET', medianMs: 42, sigma: 0.45 },
      { name: 'resize-image', share: 3, method: 'POST', medianMs: 320, sigma: 0.8 },
      { name: 'send-receipt', share: 2, method: 'POST', medianMs: 240, sigma: 0.6 },
      { name: 'payment-webhook', share: 2, method: 'POST', medianMs: 65, sigma: 0.5 },
    ],
  },
  {
    name: 'basalt',
    region: 'us-east-1',
    share: 12,
    peakHour: 19,
    atNight: 0.3,
    functions: [
      { name: 'sync-inventory', share: 10, method: 'POST', medianMs: 410, sigma: 0.7 },
      { name: 'print-label', share: 7, method: 'POST', medianMs: 130, sigma: 0.4 },
      { name: 'import-csv', share: 3, method: 'POST', medianMs: 2100, sigma: 0.9 },
    ],
  },
  {
    name: 'cobalt',
    region: 'ap-southeast-1',
    share: 6,
    peakHour: 6,
    atNight: 0.4,
    functions: [
      { name: 'embed-text', share: 12, method: 'POST', medianMs: 95, sigma: 0.4 },
      { name: 'moderate-message', share: 8, method: 'POST', medianMs: 58, sigma: 0.5 },
    ],
  },
  {
    name: 'delta',
    region: 'eu-central-1',
    share: 3,
    peakHour: 2,
    atNight: 0.8,
    functions: [{ name: 'poll-devices', share: 20, method: 'GET', medianMs: 28, sigma: 0.3 }],
  },
];

const FUNCTIONS = PROJECTS.flatMap(({ functions }) => functions);

/** SQL for the position, from 1, of a row's project. */
export const DRAW_PROJECT = drawPosition(PROJECTS, 'project');

/** SQL for a property of a row's project, whose position is in `project_position`. */
export const ofProject = (property: (project: DemoProject) => Value): string =>
  `${literals(PROJECTS.map(property))}[project_position]`;

/** SQL for the position, from 1, of one of the functions of a row's project. */
export const DRAW_FUNCTION = `
  ${literals(positionsByShare(FUNCTIONS))}
  [${FUNCTION_SHARES} * (project_position - 1) + 1 + ${drawBelow(FUNCTION_SHARES, 'function')}]`;

/** SQL for a property of a row's function, whose position is in `function_position`. */
export const ofFunction = (property: (each: DemoFunction) => Value): string =>
  `${literals(FUNCTIONS.map(property))}[function_position]`;
