import { OPERATORS } from '../../endpoint/figures.js';
import type { DataVersions } from '../query/data-versions.js';
import { PieceComposer } from '../query/pieces/composer.js';
import { PieceVerifier } from '../query/pieces/verifier.js';
import type { RunQuery } from '../query/ports.js';
import type { OpenCache } from './open-cache.js';
import type { ExecutionParts } from './shared-parts.js';

/** Creates the composer of results from pieces, with its metrics and its log. */
export function openComposer(
  { hits, metrics, onBackground, logger, clock }: ExecutionParts,
  runQuery: RunQuery,
  { store, purge }: OpenCache,
  dataVersions: DataVersions,
): PieceComposer {
  const verifier = new PieceVerifier({
    ...{ runQuery, purge, dataVersions, random: Math.random },
    onQueried: ({ name }, { cost, queryId }) => {
      onBackground?.({ purpose: 'verification', endpoint: name, cost, queryId });
    },
    onVerified: ({ name }, outcome) => {
      metrics.count('pieces_verifications_total', { endpoint: name, outcome });
      if (outcome !== 'different') return;
      logger.error(
        'the kept pieces of an endpoint are different from one query over them: its results are no longer composed',
        { endpoint: name, advice: `run querygate check, correct the query or remove pieces` },
      );
    },
  });
  return new PieceComposer({
    ...{ runQuery, store, dataVersions, verifier, clock },
    onComposed: ({ id, name }, pieces) => {
      const cost = pieces.saved.readBy(OPERATORS);
      metrics.composed(name, pieces, cost);
      hits.countSaved(id, cost);
    },
  });
}
