import type uPlot from 'uplot';

import { compact } from '../model/display.js';
import { inZone } from '../model/zone.js';

export const AXIS_FONT = '12px system-ui, sans-serif';

const DAY = 86_400;
const YEAR = 365 * DAY;

/** Possible seconds between ticks, so that each tick has a label of its own. */
export const TIME_STEPS = [
  ...[1, 5, 10, 15, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200],
  ...[1, 2, 7, 14, 30, 90, 180].map((days) => days * DAY),
  ...[1, 2, 5, 10, 20, 50, 100].map((years) => years * YEAR),
];

/** Month and day, or the time of day, as precise as the distance of the ticks requires; the year where there are several. */
export const timeLabels =
  (times: readonly number[], zone: string) =>
  (_plot: uPlot, ticks: number[]): string[] => {
    const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
    const clockAt = (seconds = 0): string => inZone(seconds * 1000, zone).clock;
    const hasYears = clockAt(times[0]).slice(0, 4) !== clockAt(times.at(-1)).slice(0, 4);
    let day = '';
    return ticks.map((seconds) => {
      const iso = clockAt(seconds);
      if (step >= YEAR) return iso.slice(0, 4);
      const date = iso.slice(hasYears ? 0 : 5, 10);
      if (step >= DAY) return date;
      const clock = iso.slice(11, step < 60 ? 19 : 16);
      const text = date === day ? clock : `${clock}\n${date}`;
      day = date;
      return text;
    });
  };

/** The labels of an axis of values. */
export const valueLabels = (_plot: uPlot, ticks: number[]): string[] => ticks.map(compact);

const context = document.createElement('canvas').getContext('2d');

/** Pixels for the ticks of an axis and its longest label. */
export function widthOf(_plot: uPlot, labels: readonly string[] | null): number {
  if (context) context.font = AXIS_FONT;
  const widths = (labels ?? []).map((label) => context?.measureText(label).width ?? 0);
  return Math.ceil(Math.max(10, ...widths)) + 16;
}

/** Zero is always in the chart, so that heights can be compared. */
export const valueRange = (
  _plot: uPlot,
  low: number | null,
  high: number | null,
): [from: number, to: number] => {
  const [from, to] = [Math.min(0, 1.06 * (low ?? 0)), Math.max(0, 1.06 * (high ?? 0))];
  return from === to ? [0, 1] : [from, to];
};
