/** A sample in the Prometheus text format. */
export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$/;
const VALUE = /^(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|nan|[+-]inf)$/i;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)",?/gy;

/** Parses metrics in the Prometheus text format. @throws Error at an invalid line. */
export function metricSamples(text: string): readonly MetricSample[] {
  const lines = text.split('\n').filter((line) => line !== '' && !/^# (HELP|TYPE) /.test(line));
  return lines.map((line) => {
    const [, name, labelText = '', value] = SAMPLE.exec(line) ?? [];
    if (name === undefined || !VALUE.test(value ?? '')) throw new Error(`invalid sample: ${line}`);
    const labels = [...labelText.matchAll(LABEL)];
    if (labels.map(([whole]) => whole).join('') !== labelText) throw new Error(`invalid labels: ${line}`);
    return {
      name,
      labels: Object.fromEntries(labels.map(([, label = '', of = '']) => [label, of])),
      value: Number(value),
    };
  });
}
