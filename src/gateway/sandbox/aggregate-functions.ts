/**
 * Aggregate and window functions that a caller's SQL may use. Excluded are functions that return a state (`-State`, `-Merge`, bitmaps),
 * choose at random, produce more data than they read, or reveal facts about the server.
 */
const NAMES = `
  any anyHeavy anyLast anyLast_respect_nulls any_respect_nulls any_value anyValueRespectNulls anyRespectNulls anyLastRespectNulls
  first_value last_value first_value_respect_nulls last_value_respect_nulls singleValueOrNull
  count sum sumKahan sumWithOverflow sumCount avg avgWeighted min max argMin argMax argAndMin argAndMax min_by max_by
  deltaSum deltaSumTimestamp boundingRatio entropy intervalLengthSum maxIntersections maxIntersectionsPosition
  groupArray groupArrayLast groupArraySorted groupArrayIntersect groupArrayMovingAvg groupArrayMovingSum groupUniqArray
  array_agg array_concat_agg groupConcat group_concat string_agg groupBitAnd groupBitOr groupBitXor bit_and bit_or bit_xor
  sumMap minMap maxMap sumMappedArrays minMappedArrays maxMappedArrays sumMapWithOverflow sumMapFiltered
  uniq uniqCombined uniqCombined64 uniqExact uniqHLL12 uniqUpTo approx_top_count approx_top_k approx_top_sum topK topKWeighted
  quantile quantileBFloat16 quantileBFloat16Weighted quantileDD quantileDeterministic quantileExact quantileExactExclusive
  quantileExactHigh quantileExactInclusive quantileExactLow quantileExactWeighted quantileExactWeightedInterpolated quantileGK
  quantileInterpolatedWeighted quantileTDigest quantileTDigestWeighted quantileTiming quantileTimingWeighted
  quantiles quantilesBFloat16 quantilesBFloat16Weighted quantilesDD quantilesDeterministic quantilesExact
  quantilesExactExclusive quantilesExactHigh quantilesExactInclusive quantilesExactLow quantilesExactWeighted
  quantilesExactWeightedInterpolated quantilesGK quantilesInterpolatedWeighted quantilesTDigest quantilesTDigestWeighted
  quantilesTiming quantilesTimingWeighted
  median medianBFloat16 medianBFloat16Weighted medianDD medianDeterministic medianExact medianExactHigh medianExactLow
  medianExactWeighted medianExactWeightedInterpolated medianGK medianInterpolatedWeighted medianTDigest medianTDigestWeighted
  medianTiming medianTimingWeighted
  stddevPop stddevPopStable stddevSamp stddevSampStable std stddev stddev_pop stddev_samp varPop varPopStable varSamp
  varSampStable var_pop var_samp covarPop covarPopStable covarSamp covarSampStable covar_pop covar_samp corr corrStable rankCorr
  skewPop skewSamp kurtPop kurtSamp simpleLinearRegression histogram sparkbar
  exponentialMovingAverage exponentialTimeDecayedAvg exponentialTimeDecayedCount exponentialTimeDecayedMax
  exponentialTimeDecayedSum cramersV cramersVBiasCorrected theilsU contingency categoricalInformationValue
  mannWhitneyUTest studentTTest studentTTestOneSample welchTTest kolmogorovSmirnovTest meanZTest analysisOfVariance
  retention sequenceCount sequenceMatch sequenceMatchEvents sequenceNextNode windowFunnel largestTriangleThreeBuckets lttb
  row_number rank denseRank dense_rank percentRank percent_rank cume_dist ntile lag lead lagInFrame leadInFrame nth_value
  nonNegativeDerivative`;

/** Suffixes that a name may have. Several are possible: `sumIf`, `uniqArrayIf`. */
const COMBINATORS = ['If', 'Array', 'Distinct', 'OrDefault', 'OrNull', 'ForEach', 'Map', 'ArgMin', 'ArgMax'];
const MAX_COMBINATORS = 3;

/** Allowed names, in lower case. */
export const AGGREGATES: ReadonlySet<string> = new Set(NAMES.trim().toLowerCase().split(/\s+/));

/** Whether a name is an allowed aggregate or window function, with or without combinators. */
export function isAllowedAggregate(name: string, combinators = MAX_COMBINATORS): boolean {
  if (AGGREGATES.has(name.toLowerCase())) return true;
  if (combinators === 0) return false;
  return COMBINATORS.some(
    (combinator) =>
      name.endsWith(combinator) && isAllowedAggregate(name.slice(0, -combinator.length), combinators - 1),
  );
}
