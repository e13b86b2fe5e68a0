import { Figures, OWN_ROWS_READER, type Reader } from '../../endpoint/figures.js';
import { FormulaDisarmer } from '../formats/cut-lines.js';
import { escapeLineEnds } from '../formats/escape-line-ends.js';
import { exportFormat } from '../formats/exported-rows.js';
import { newMark, type ClickHouseFormat, type FileFormat, type RowFormat } from '../formats/format.js';
import { FORMATS } from '../formats/formats.js';
import type { WrittenColumns } from '../formats/written-columns.js';
import type { ExportedBody } from './export-body.js';
import { asUtf8 } from './fetch-rows.js';

/** How an export is written: the format that ClickHouse writes, and the conversion by the gateway. */
export interface ExportWriting {
  readonly format: ClickHouseFormat;
  readonly body: ExportedBody;
}

/** Writing of an export's rows for a reader. It serves one export only, because the conversion keeps state between parts. */
export function exportWriting(written: WrittenColumns, reader: Reader = OWN_ROWS_READER): ExportWriting {
  const format = FORMATS[written.representation.format];
  if ('unmark' in format) throw new TypeError(`${written.representation.format} has no exports`);
  return 'exportRows' in format ? textOf(format, written, reader) : fileOf(format, written);
}

function fileOf({ isComplete }: FileFormat, { clickHouseFormat }: WrittenColumns): ExportWriting {
  const nothing = Buffer.alloc(0);
  const body = { start: nothing, mark: undefined, finish: identity, isComplete, end: () => nothing };
  return { format: clickHouseFormat, body };
}

function textOf(
  format: RowFormat,
  { representation, columns }: WrittenColumns,
  reader: Reader,
): ExportWriting {
  const { times, formulaSafe } = representation;
  const rows = format.exportRows(columns, times);
  const mark = newMark('end');
  const finish = format.values === 'json' ? finishJson : formulaSafe ? finishSafely() : asUtf8;
  const body: ExportedBody = {
    start: finish(Buffer.from(rows.start)),
    mark,
    finish,
    isComplete: () => true,
    end: (reported) => {
      const { rowCount = 0, cost } = reported ?? {};
      const readable = cost && new Figures(cost).readBy(reader);
      return Buffer.from(rows.end({ rowCount, cost: readable }));
    },
  };
  return { format: exportFormat(columns, rows, mark), body };
}

const identity = (bytes: Buffer): Buffer => bytes;

function finishJson(lines: Buffer): Buffer {
  const json = asUtf8(lines);
  return escapeLineEnds(json) ?? json;
}

function finishSafely(): (lines: Buffer) => Buffer {
  const disarmer = new FormulaDisarmer();
  return (lines) => disarmer.disarm(asUtf8(lines));
}
