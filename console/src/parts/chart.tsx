import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import type { ChartData, Line, LineValues } from '../model/chart-data.js';
import { colour, onThemeChange } from '../theme.js';
import { AXIS_FONT, TIME_STEPS, timeLabels, valueLabels, valueRange, widthOf } from './chart-axes.js';

interface Props {
  readonly data: ChartData<Line>;
  readonly label: string;
  readonly height?: number;
  /** Called with the index under the pointer; null outside of the chart. */
  readonly onIndex?: (index: number | null) => void;
  /** Called with the times, in seconds since 1970, between which the pointer was dragged. */
  readonly onSelect?: ((from: number, to: number) => void) | undefined;
}

/** The name of the nth line's colour in the style sheet. */
export const lineColour = (index: number): string => `line-${(index % 8) + 1}`;

/** The enum in the types of uPlot does not exist at run time. */
const ON_THE_RIGHT: object = { scale: 'right', side: 1 };

/** Pixels. */
const MIN_SELECTED = 8;

/** More points than this would hide the line. */
const MAX_POINTS = 80;

/** Lines over time, in UTC. The table beside it has the same content for screen readers. */
export function Chart({ data, label, height = 220, onIndex, onSelect }: Props): VNode {
  const select = useRef(onSelect);
  select.current = onSelect;
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
    const options = { ...size(), ...optionsOf(data, onIndex, select) };
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
  }, [data, theme, height]);
  return <div class="chart" ref={container} role="img" aria-label={label} />;
}

function optionsOf(
  { times, lines }: ChartData<Line>,
  onIndex: Props['onIndex'],
  select: { readonly current: Props['onSelect'] },
): Omit<uPlot.Options, 'width' | 'height'> {
  const axis = {
    stroke: colour('muted'),
    grid: { stroke: colour('grid'), width: 1 },
    ticks: { stroke: colour('grid'), width: 1 },
    font: AXIS_FONT,
  };
  const values = { ...axis, size: widthOf, values: valueLabels };
  const hasRight = lines.some(({ isRight }) => isRight);
  const isDense = times.length > MAX_POINTS;
  return {
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    legend: { show: false },
    cursor: { points: { size: 7 }, drag: { x: select.current !== undefined, y: false, setScale: false } },
    padding: [8, hasRight ? 0 : 26, 0, 0],
    axes: [
      { ...axis, space: 80, incrs: TIME_STEPS, values: timeLabels(times) },
      { ...values, stroke: hasRight ? axisColour(lines, false) : axis.stroke },
      ...(hasRight
        ? [{ ...values, stroke: axisColour(lines, true), ...ON_THE_RIGHT, grid: { show: false } }]
        : []),
    ],
    scales: { y: { range: valueRange }, right: { range: valueRange } },
    series: [
      {},
      ...lines.map(({ name, values, isRight }, index) => ({
        label: name,
        scale: isRight ? 'right' : 'y',
        stroke: colour(lineColour(index)),
        width: 1.75,
        spanGaps: false,
        points: { show: true, size: 5, ...(isDense && { filter: () => isolated(values) }) },
      })),
    ],
    hooks: {
      setCursor: [(plot) => onIndex?.(plot.cursor.idx ?? null)],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          // A click selects nothing.
          if (width >= MIN_SELECTED)
            select.current?.(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
        },
      ],
    },
  };
}

/** The colour of the one line that an axis belongs to; without any where it has several. */
function axisColour(lines: readonly Line[], isRight: boolean): string {
  const indexes = [...lines.keys()].filter((index) => (lines[index]?.isRight ?? false) === isRight);
  return colour(indexes.length === 1 ? lineColour(indexes[0] ?? 0) : 'muted');
}

/** The indexes of values between two gaps, which no line shows. */
function isolated(values: LineValues): number[] {
  const known = [...values.keys()].filter((index) => values[index] !== undefined);
  const hasValue = (position: number): boolean => typeof values[known[position] ?? -1] === 'number';
  return known.filter(
    (_index, position) => hasValue(position) && !hasValue(position - 1) && !hasValue(position + 1),
  );
}
