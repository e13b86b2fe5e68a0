import type uPlot from 'uplot';

import { compact } from '../model/display.js';
import { inZone } from '../model/zone.js';

export const AXIS_FONT = '12px system-ui, sans-serif';

const DAY = 86_400;
const YEAR = 365 * DAY;

/** Seconds between ticks with which each tick has a label of its own. */
const TIME_STEPS = [
  ...[1, 5, 10, 15, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200],
  ...[1, 2, 3, 7, 14, 30, 90, 180].map((days) => days * DAY),
  ...[1, 2, 5, 10, 20, 50, 100].map((years) => years * YEAR),
];

/** Possible seconds between ticks: there is nothing between two buckets. */
export const timeSteps = (bucket: number): number[] =>
  TIME_STEPS.filter((step) => step >= Math.min(bucket, 100 * YEAR));

/** Month and day, or the time of day, as precise as the distance of the ticks requires; the year where there are several. */
export const timeLabels =
  (times: readonly number[], zone: string) =>
  (_plot: uPlot, ticks: number[], _axis: number, _pixels: number, step: number): string[] => {
    const clockAt = (seconds = 0): string => inZone(seconds * 1000, zone).clock;
    const hasYears = yearOf(times[0], zone) !== yearOf(times.at(-1), zone);
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

const yearOf = (seconds = 0, zone: string): string => inZone(seconds * 1000, zone).clock.slice(0, 4);

/** Pixels between ticks at least: the widest label that there can be, and a gap. */
export const timeSpace =
  (times: readonly number[], zone: string) =>
  (_plot: uPlot, _axis: number, from: number, to: number): number => {
    const hasYears = yearOf(times[0], zone) !== yearOf(times.at(-1), zone);
    // Ticks are seconds apart only where few minutes are shown.
    const widest = hasYears ? '0000-00-00' : to - from < 3600 ? '00:00:00' : '00:00';
    return textWidth(widest) + 20;
  };

/** The labels of an axis of values. */
export const valueLabels = (_plot: uPlot, ticks: number[]): string[] => ticks.map(compact);

const context = document.createElement('canvas').getContext('2d');

function textWidth(text: string): number {
  if (context) context.font = AXIS_FONT;
  return context?.measureText(text).width ?? 0;
}

/** Pixels for the ticks of an axis and its longest label. */
export const widthOf = (_plot: uPlot, labels: readonly string[] | null): number =>
  Math.ceil(Math.max(10, ...(labels ?? []).map(textWidth))) + 16;

/** Zero is always in the chart, so that heights can be compared. */
export const valueRange = (
  _plot: uPlot,
  low: number | null,
  high: number | null,
): [from: number, to: number] => {
  const [from, to] = [Math.min(0, 1.06 * (low ?? 0)), Math.max(0, 1.06 * (high ?? 0))];
  return from === to ? [0, 1] : [from, to];
};
