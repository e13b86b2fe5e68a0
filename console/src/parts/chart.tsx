import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

import { stacked, type ChartData, type Line, type LineValues } from '../model/chart-data.js';
import { UTC } from '../model/zone.js';
import { colour, onThemeChange } from '../theme.js';
import { useZone } from '../chosen-zone.js';
import {
  AXIS_FONT,
  timeLabels,
  timeSpace,
  timeSteps,
  valueLabels,
  valueRange,
  widthOf,
} from './chart-axes.js';

interface Props {
  readonly data: ChartData<Line>;
  readonly label: string;
  readonly height?: number;
  /** Bars and areas are upon each other. */
  readonly kind?: ChartKind;
  /** Zone of the time axis; undefined: the zone of the page. */
  readonly zone?: string | undefined;
  /** Called with the index under the pointer; null outside of the chart. */
  readonly onIndex?: (index: number | null) => void;
  /** Called with the times, in seconds since 1970, between which the pointer was dragged. */
  readonly onSelect?: ((from: number, to: number) => void) | undefined;
}

export type ChartKind = 'line' | 'bars' | 'stacked';

/** The name of the nth line's colour in the style sheet. */
export const lineColour = (index: number): string => `line-${(index % 8) + 1}`;

/** The enum in the types of uPlot does not exist at run time. */
const ON_THE_RIGHT: object = { scale: 'right', side: 1 };

/** Pixels. */
const MIN_SELECTED = 8;

/** More points than this would hide the line. */
const MAX_POINTS = 80;

/** Lines over time, in the zone of the page. The table beside it has the same content for screen readers. */
export function Chart({
  data,
  label,
  height = 220,
  kind = 'line',
  zone: ownZone,
  onIndex,
  onSelect,
}: Props): VNode {
  const pageZone = useZone();
  const zone = ownZone ?? pageZone;
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
    const drawn = drawnLines(data, kind);
    const options = { ...size(), ...optionsOf(data, drawn, { kind, zone, onIndex, select }) };
    const plot = new uPlot(options, [[...data.times], ...drawn.map(({ values }) => [...values])], element);
    const observer = new ResizeObserver(() => {
      plot.setSize(size());
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [data, theme, height, kind, zone]);
  return <div class="chart" ref={container} role="img" aria-label={label} />;
}

/** A line as it is drawn. */
interface DrawnLine extends Line {
  readonly colour: string;
  /** Whether it is the parts of the line that begin or end in a bucket of which only a part is known. */
  readonly isDashed: boolean;
}

/** The lines in the order in which they are drawn, each without its values of dashed buckets, then those. */
function drawnLines({ times, lines, dashed = [] }: ChartData<Line>, kind: ChartKind): readonly DrawnLine[] {
  const coloured = lines.map((line, index) => ({ ...line, colour: lineColour(index), isDashed: false }));
  // The lowest of what is upon each other is drawn last, and covers the others.
  const whole = kind === 'line' ? coloured : [...stacked(coloured)].reverse();
  if (dashed.length === 0) return whole;
  const ends = dashed.map((end) => (end === 'first' ? 0 : times.length - 1));
  // A line is dashed on its way to the bucket.
  const reach = kind === 'bars' ? 0 : 1;
  const isNear = (index: number): boolean => ends.some((end) => Math.abs(end - index) <= reach);
  const kept = (line: DrawnLine, isKept: (index: number) => boolean): DrawnLine => ({
    ...line,
    values: line.values.map((value, index) => (isKept(index) ? value : null)),
  });
  return [
    ...whole.map((line) => kept(line, (index) => !ends.includes(index))),
    ...whole.map((line) => ({ ...kept(line, isNear), isDashed: true })),
  ];
}

interface Drawing {
  readonly kind: ChartKind;
  readonly zone: string;
  readonly onIndex: Props['onIndex'];
  readonly select: { readonly current: Props['onSelect'] };
}

function optionsOf(
  { times, lines, bucket = 0, end }: ChartData<Line>,
  drawn: readonly DrawnLine[],
  { kind, zone, onIndex, select }: Drawing,
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
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone === UTC ? 'Etc/UTC' : zone),
    legend: { show: false },
    cursor: { points: { size: 7 }, drag: { x: select.current !== undefined, y: false, setScale: false } },
    padding: [8, hasRight ? 0 : 26, 0, 0],
    axes: [
      { ...axis, space: timeSpace(times, zone), incrs: timeSteps(bucket), values: timeLabels(times, zone) },
      { ...values, stroke: hasRight ? axisColour(lines, false) : axis.stroke },
      ...(hasRight
        ? [{ ...values, stroke: axisColour(lines, true), ...ON_THE_RIGHT, grid: { show: false } }]
        : []),
    ],
    scales: {
      // Otherwise half of the first and of the last bar would be outside.
      ...(kind === 'bars' && { x: { range: (_plot, low, high) => [low - bucket / 2, high + bucket / 2] } }),
      y: { range: valueRange },
      right: { range: valueRange },
    },
    series: [{}, ...drawn.map((line) => seriesOf(line, kind, isDense))],
    hooks: {
      setCursor: [(plot) => onIndex?.(plot.cursor.idx ?? null)],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          // A click selects nothing.
          if (width < MIN_SELECTED) return;
          const [from, to] = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')];
          // Else what remained selected would look like the range of the chart.
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          const starts = end === undefined ? [] : [...times, end];
          const half = kind === 'bars' ? (BAR_SHARE * bucket) / 2 : undefined;
          const range = end === undefined ? ([from, to] as const) : touchedBuckets(starts, half, from, to);
          if (range) select.current?.(...range);
        },
      ],
    },
  };
}

/**
 * The time from the first to the end of the last bucket that is touched between two times.
 *
 * @param starts of the buckets, and the end of the last one.
 * @param half of the width of a bar, which is around the start of its bucket; undefined for lines, which have the whole bucket.
 */
function touchedBuckets(
  starts: readonly number[],
  half: number | undefined,
  from: number,
  to: number,
): readonly [from: number, to: number] | undefined {
  const ends = starts.slice(1);
  const touched = [...ends.keys()].filter((index) => {
    const [start = 0, end = 0] = [starts[index], ends[index]];
    return half === undefined ? start < to && from < end : start - half <= to && from <= start + half;
  });
  const [first, last] = [starts[touched[0] ?? -1], ends[touched.at(-1) ?? -1]];
  return first === undefined || last === undefined ? undefined : [first, last];
}

/** Width of a bar as a fraction of its bucket. */
const BAR_SHARE = 0.8;

/** Draws bars with this fraction of the bucket, and at most 60 pixels wide. */
const BARS = uPlot.paths.bars?.({ size: [BAR_SHARE, 60] });

/** Pixels that are drawn, and that are not. */
const DASHED: number[] = [4, 4];

function seriesOf(
  { name, values, isRight, isDashed, colour: line }: DrawnLine,
  kind: ChartKind,
  isDense: boolean,
): uPlot.Series {
  const stroke = colour(line);
  return {
    label: name,
    scale: isRight ? 'right' : 'y',
    stroke,
    width: kind === 'line' ? 1.75 : 1,
    spanGaps: false,
    ...(kind !== 'line' && !isDashed && { fill: stroke }),
    ...(kind === 'bars' && BARS && { paths: BARS }),
    ...(isDashed && { dash: DASHED }),
    points:
      kind === 'line' && !isDashed
        ? { show: true, size: 5, ...(isDense && { filter: () => isolated(values) }) }
        : { show: false },
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
