import { draw, literal } from './draws.js';

interface Incident {
  readonly project: string;
  readonly minutesAgo: number;
  readonly minutes: number;
  /** Of the project's records in that time, from 0 to 1. */
  readonly failingShare: number;
}

/** When something was broken; every source of the project shows it at the same time. */
const INCIDENTS: readonly Incident[] = [
  { project: 'aurora', minutesAgo: 26, minutes: 9, failingShare: 0.6 },
  { project: 'aurora', minutesAgo: 15 * 60, minutes: 50, failingShare: 0.3 },
  { project: 'cobalt', minutesAgo: 3 * 1440 + 200, minutes: 35, failingShare: 0.8 },
  { project: 'basalt', minutesAgo: 5 * 1440 + 500, minutes: 180, failingShare: 0.25 },
];

const failingShares = INCIDENTS.map(({ project, minutesAgo, minutes, failingShare }) => {
  const age = `age_minutes BETWEEN ${minutesAgo - minutes} AND ${minutesAgo}`;
  return `project = ${literal(project)} AND ${age}, ${failingShare}`;
});

/** SQL for whether an incident hits a row, from its `project` and its `age_minutes`. */
export const FAILING = `${draw('incident')} < multiIf(${failingShares.join(', ')}, 0)`;
