import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import type { ChartData } from '../model/chart-data.js';
import { number } from '../model/display.js';
import { colour, onThemeChange } from '../theme.js';

interface Props {
  readonly data: ChartData;
  readonly bars: boolean;
  readonly label: string;
  readonly height?: number;
  /** Called with the index under the pointer; null outside of the chart. */
  readonly onIndex?: (index: number | null) => void;
}

/** The name of the nth line's colour in the style sheet. */
export const lineColour = (index: number): string => `line-${(index % 8) + 1}`;

const DAY = 86_400;

/** Possible seconds between ticks, so that each tick has a label of its own. */
const STEPS = [
  ...[1, 5, 10, 15, 30, 60, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200],
  ...[1, 2, 7, 14, 30, 90, 180, 365].map((days) => days * DAY),
];

/** Lines over time, in UTC. The table beside it has the same content for screen readers. */
export function Chart({ data, bars, label, height = 220, onIndex }: Props): VNode {
  const container = useRef<HTMLDivElement>(null);
  const [theme, setTheme] = useState(0);
  useEffect(
    () =>
      onThemeChange(() => {
        setTheme((count) => count + 1);
      }),
    [],
  );
  useEffect(() => {
    const element = container.current;
    if (!element) return undefined;
    const size = (): { width: number; height: number } => ({
      width: Math.max(200, element.clientWidth),
      height,
    });
    const options = { ...size(), ...optionsOf(data, bars, onIndex) };
    const plot = new uPlot(
      options,
      [[...data.times], ...data.lines.map(({ values }) => [...values])],
      element,
    );
    const observer = new ResizeObserver(() => {
      plot.setSize(size());
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [data, bars, theme, height]);
  return <div class="chart" ref={container} role="img" aria-label={label} />;
}

function optionsOf(
  data: ChartData,
  bars: boolean,
  onIndex: Props['onIndex'],
): Omit<uPlot.Options, 'width' | 'height'> {
  const axis = {
    stroke: colour('muted'),
    grid: { stroke: colour('grid'), width: 1 },
    ticks: { stroke: colour('grid'), width: 1 },
    font: '12px system-ui, sans-serif',
  };
  const dense = data.times.length > 80;
  const paths = bars ? uPlot.paths.bars?.({ size: [0.8, 60] }) : undefined;
  return {
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { points: { size: 7 }, drag: { x: false, y: false } },
    padding: [8, 26, 0, 0],
    axes: [
      { ...axis, space: 80, incrs: STEPS, values: timeLabels },
      { ...axis, size: 64, values: (_plot, values) => values.map((value) => number(value)) },
    ],
    scales: { y: { range: (_plot, low, high) => [Math.min(0, low), high > 0 ? high * 1.06 : 1] } },
    series: [
      {},
      ...data.lines.map(({ name }, index) => ({
        label: name,
        stroke: colour(lineColour(index)),
        width: 1.75,
        spanGaps: false,
        ...(paths
          ? { paths, fill: colour(lineColour(index)), points: { show: false } }
          : { points: { show: !dense, size: 5 } }),
      })),
    ],
    hooks: { setCursor: [(plot) => onIndex?.(plot.cursor.idx ?? null)] },
  };
}

/** Month and day, or the time of day, as precise as the distance of the ticks requires. */
function timeLabels(_plot: uPlot, ticks: number[]): string[] {
  const step = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  let day = '';
  return ticks.map((seconds) => {
    const iso = new Date(seconds * 1000).toISOString();
    const date = iso.slice(5, 10);
    if (step >= DAY) return date;
    const clock = iso.slice(11, step < 60 ? 19 : 16);
    const text = date === day ? clock : `${clock}\n${date}`;
    day = date;
    return text;
  });
}
