import { Counter, type Registry } from 'prom-client';

import type { QueryCost } from '../../endpoint/limit-rules.js';
import type { Verification } from '../query/pieces/verifier.js';
import type { PiecesOfResult } from '../query/endpoint-result.js';

/** The metrics of results that are composed of pieces. */
export class PieceMetrics {
  private readonly pieces: Counter<'endpoint' | 'from'>;
  private readonly savedRows: Counter<'endpoint'>;
  private readonly savedBytes: Counter<'endpoint'>;
  private readonly verifications: Counter<'endpoint' | 'outcome'>;

  constructor(registry: Registry) {
    const counter = <Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> =>
      new Counter({ name: `querygate_pieces_${name}`, help, labelNames, registers: [registry] });
    this.pieces = counter('total', 'Pieces of composed results, kept ones and queried ones.', [
      'endpoint',
      'from',
    ]);
    this.savedRows = counter('saved_rows_total', 'Rows that kept pieces did not read again.', ['endpoint']);
    this.savedBytes = counter('saved_bytes_total', 'Bytes that kept pieces did not read again.', [
      'endpoint',
    ]);
    this.verifications = counter('verifications_total', 'Comparisons of kept pieces with one query.', [
      'endpoint',
      'outcome',
    ]);
  }

  /** @param saved what the queries of the kept pieces had cost */
  readonly composed = (endpoint: string, { kept, of }: PiecesOfResult, saved: QueryCost): void => {
    this.pieces.inc({ endpoint, from: 'cache' }, kept);
    this.pieces.inc({ endpoint, from: 'clickhouse' }, of - kept);
    this.savedRows.inc({ endpoint }, saved.rowsRead);
    this.savedBytes.inc({ endpoint }, saved.bytesRead);
  };

  readonly verified = (endpoint: string, outcome: Verification): void => {
    this.verifications.inc({ endpoint, outcome });
  };
}
