import { isAllowedAggregate } from './aggregate-functions.js';

/**
 * Functions that a caller's SQL may use. Their results depend on the arguments alone, or on the time. Functions are excluded if they read
 * anything besides the query (dictionaries, joins, files, models, settings, the server), wait, or choose at random. Also excluded are those
 * that take the name of a function or a table as text, or produce much data from little (repeat, range, space).
 */
const NAMES = `
  and or not xor equals notEquals less greater lessOrEquals greaterOrEquals isDistinctFrom isNotDistinctFrom
  in notIn nullIn notNullIn globalIn globalNotIn globalNullIn globalNotNullIn exists like notLike ilike notILike
  if multiIf caseWithExpression transform coalesce ifNull nullIf isNull isNotNull isZeroOrNull assumeNotNull toNullable
  greatest least clamp firstNonDefault ignore identity materialize toTypeName toLowCardinality grouping

  plus minus multiply divide intDiv intDivOrZero intDivOrNull modulo moduloOrZero moduloOrNull positiveModulo negate abs sign
  gcd lcm divideDecimal multiplyDecimal divideOrNull mod pmod
  round roundBankers roundDown roundToExp2 roundDuration roundAge floor ceil ceiling trunc truncate
  exp exp2 exp10 intExp2 intExp10 log ln log2 log10 log1p sqrt cbrt pow power hypot sigmoid sqr erf erfc lgamma tgamma factorial
  sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh degrees radians pi e
  isFinite isInfinite isNaN ifNotFinite widthBucket width_bucket
  bitAnd bitOr bitXor bitNot bitShiftLeft bitShiftRight bitRotateLeft bitRotateRight bitTest bitTestAll bitTestAny bitCount
  bitHammingDistance bitSlice byteSwap bitmaskToArray bitPositionsToArray

  now now64 today yesterday current_timestamp current_date curdate
  date toDate toDate32 toDateTime toDateTime32 toDateTime64 toDateOrNull toDateOrZero toDateOrDefault toDate32OrNull toDate32OrZero
  toDate32OrDefault toDateTimeOrNull toDateTimeOrZero toDateTimeOrDefault toDateTime64OrNull toDateTime64OrZero
  toDateTime64OrDefault makeDate makeDate32 makeDateTime makeDateTime64 timestamp toTimeZone toTimezone timeZoneOf timezoneOf
  timeZoneOffset timezoneOffset
  parseDateTime parseDateTimeOrNull parseDateTimeOrZero parseDateTime64 parseDateTime64OrNull parseDateTime64OrZero
  parseDateTimeInJodaSyntax parseDateTimeInJodaSyntaxOrNull parseDateTimeInJodaSyntaxOrZero
  parseDateTimeBestEffort parseDateTimeBestEffortOrNull parseDateTimeBestEffortOrZero parseDateTimeBestEffortUS
  parseDateTimeBestEffortUSOrNull parseDateTimeBestEffortUSOrZero parseDateTime32BestEffort parseDateTime32BestEffortOrNull
  parseDateTime32BestEffortOrZero parseDateTime64BestEffort parseDateTime64BestEffortOrNull parseDateTime64BestEffortOrZero
  parseDateTime64BestEffortUS parseDateTime64BestEffortUSOrNull parseDateTime64BestEffortUSOrZero
  formatDateTime date_format formatDateTimeInJodaSyntax fromUnixTimestamp from_unixtime fromUnixTimestampInJodaSyntax
  fromUnixTimestamp64Second fromUnixTimestamp64Milli fromUnixTimestamp64Micro fromUnixTimestamp64Nano toUnixTimestamp
  toUnixTimestamp64Second toUnixTimestamp64Milli toUnixTimestamp64Micro toUnixTimestamp64Nano toUTCTimestamp fromUTCTimestamp
  toYear toQuarter toMonth toWeek toYearWeek toDayOfYear toDayOfMonth toDayOfWeek toHour toMinute toSecond toMillisecond
  toMicrosecond toNanosecond toISOYear toISOWeek toDaysInMonth toMonday toTime toTimeWithFixedDate toYYYYMM toYYYYMMDD
  toYYYYMMDDhhmmss YYYYMMDDToDate YYYYMMDDToDate32 YYYYMMDDhhmmssToDateTime YYYYMMDDhhmmssToDateTime64
  year quarter month week yearweek day dayofmonth dayofweek dayofyear hour minute second millisecond microsecond nanosecond
  last_day monthName dateName toLastDayOfMonth toLastDayOfWeek
  toStartOfYear toStartOfISOYear toStartOfQuarter toStartOfMonth toStartOfWeek toStartOfDay toStartOfHour toStartOfMinute
  toStartOfSecond toStartOfMillisecond toStartOfMicrosecond toStartOfNanosecond toStartOfFiveMinutes toStartOfFiveMinute
  toStartOfTenMinutes toStartOfFifteenMinutes toStartOfInterval time_bucket date_bin timeSlot dateTrunc date_trunc
  toRelativeYearNum toRelativeQuarterNum toRelativeMonthNum toRelativeWeekNum toRelativeDayNum toRelativeHourNum
  toRelativeMinuteNum toRelativeSecondNum toDaysSinceYearZero fromDaysSinceYearZero toModifiedJulianDay
  dateDiff date_diff timestampDiff timestamp_diff age timeDiff addDate subDate addInterval subtractInterval addTupleOfIntervals
  subtractTupleOfIntervals addYears addQuarters addMonths addWeeks addDays addHours addMinutes addSeconds addMilliseconds
  addMicroseconds addNanoseconds subtractYears subtractQuarters subtractMonths subtractWeeks subtractDays subtractHours
  subtractMinutes subtractSeconds subtractMilliseconds subtractMicroseconds subtractNanoseconds changeYear changeMonth changeDay
  changeHour changeMinute changeSecond tumble tumbleStart tumbleEnd hop hopStart hopEnd
  toInterval toIntervalYear toIntervalQuarter toIntervalMonth toIntervalWeek toIntervalDay toIntervalHour toIntervalMinute
  toIntervalSecond toIntervalMillisecond toIntervalMicrosecond toIntervalNanosecond
  dateTimeToUUIDv7 UUIDv7ToDateTime snowflakeIDToDateTime snowflakeIDToDateTime64

  length lengthUTF8 char_length character_length octet_length empty notEmpty lower upper lcase ucase lowerUTF8 upperUTF8 initcap
  initcapUTF8 caseFoldUTF8 reverse reverseUTF8 reverseBySeparator concat concatWithSeparator concat_ws format substring substr mid
  byteSlice substringUTF8 substringIndex substringIndexUTF8 substring_index left leftUTF8 right rightUTF8 leftPad lpad leftPadUTF8
  rightPad rpad rightPadUTF8 trim trimBoth trimLeft ltrim trimRight rtrim appendTrailingCharIfAbsent firstLine overlay overlayUTF8
  startsWith startsWithUTF8 startsWithCaseInsensitive startsWithCaseInsensitiveUTF8 endsWith endsWithUTF8
  endsWithCaseInsensitive endsWithCaseInsensitiveUTF8 ascii char initcap soundex bar stringBytesEntropy stringBytesUniq
  position positionUTF8 positionCaseInsensitive positionCaseInsensitiveUTF8 locate instr countSubstrings
  countSubstringsCaseInsensitive countSubstringsCaseInsensitiveUTF8 hasSubsequence hasSubsequenceCaseInsensitive
  hasSubsequenceUTF8 hasSubsequenceCaseInsensitiveUTF8 hasToken hasTokenOrNull hasTokenCaseInsensitive
  hasTokenCaseInsensitiveOrNull multiSearchAny multiSearchAnyUTF8 multiSearchAnyCaseInsensitive
  multiSearchAnyCaseInsensitiveUTF8 multiSearchFirstIndex multiSearchFirstIndexCaseInsensitive multiSearchFirstPosition
  multiSearchFirstPositionCaseInsensitive multiSearchAllPositions multiSearchAllPositionsCaseInsensitive
  match regexp_matches extract extractAll extractGroups extractAllGroups extractAllGroupsHorizontal extractAllGroupsVertical
  regexpExtract regexp_extract regexp_substr regexpPosition regexp_instr regexpQuoteMeta countMatches
  countMatchesCaseInsensitive replace replaceOne replaceAll replaceRegexpOne replaceRegexpAll regexp_replace translate
  translateUTF8 splitByChar splitByString splitByRegexp splitByWhitespace splitByNonAlpha splitByAlpha alphaTokens tokens ngrams
  isValidUTF8 toValidUTF8 isValidASCII normalizeUTF8NFC normalizeUTF8NFD normalizeUTF8NFKC normalizeUTF8NFKD removeDiacriticsUTF8
  editDistance editDistanceUTF8 levenshteinDistance levenshteinDistanceUTF8 damerauLevenshteinDistance jaroSimilarity
  jaroWinklerSimilarity stringJaccardIndex stringJaccardIndexUTF8 ngramDistance ngramDistanceUTF8 ngramSearch ngramSearchUTF8
  byteHammingDistance naturalSortKey extractKeyValuePairs extractKeyValuePairsWithEscaping extractTextFromHTML
  encodeXMLComponent decodeXMLComponent decodeHTMLComponent
  base64Encode base64Decode tryBase64Decode base64URLEncode base64URLDecode tryBase64URLDecode base32Encode base32Decode
  tryBase32Decode to_base64 from_base64 hex unhex bin unbin conv
  formatReadableSize formatReadableDecimalSize formatReadableQuantity formatReadableTimeDelta format_bytes parseReadableSize
  parseReadableSizeOrNull parseReadableSizeOrZero parseTimeDelta

  protocol domain domainRFC domainWithoutWWW domainWithoutWWWRFC netloc topLevelDomain topLevelDomainRFC firstSignificantSubdomain
  firstSignificantSubdomainRFC cutToFirstSignificantSubdomain cutToFirstSignificantSubdomainWithWWW port portRFC path pathFull
  queryString fragment queryStringAndFragment extractURLParameter extractURLParameters extractURLParameterNames URLHierarchy
  URLPathHierarchy cutWWW cutQueryString cutFragment cutQueryStringAndFragment cutURLParameter encodeURLComponent
  decodeURLComponent encodeURLFormComponent decodeURLFormComponent
  IPv4NumToString IPv4StringToNum IPv4StringToNumOrDefault IPv4StringToNumOrNull IPv4NumToStringClassC IPv6NumToString
  IPv6StringToNum IPv6StringToNumOrDefault IPv6StringToNumOrNull IPv4ToIPv6 cutIPv6 IPv4CIDRToRange IPv6CIDRToRange
  inet_aton inet_ntoa inet6_aton inet6_ntoa toIPv4 toIPv4OrNull toIPv4OrZero toIPv4OrDefault toIPv6 toIPv6OrNull toIPv6OrZero
  toIPv6OrDefault isIPv4String isIPv6String isIPAddressInRange macNumToString macStringToNum macStringToOUI

  JSONHas JSONLength JSONKey JSONType JSONExtract JSONExtractUInt JSONExtractInt JSONExtractFloat JSONExtractBool JSONExtractString
  JSONExtractRaw JSONExtractArrayRaw JSONExtractKeys JSONExtractKeysAndValues JSONExtractKeysAndValuesRaw
  JSONExtractCaseInsensitive JSONExtractUIntCaseInsensitive JSONExtractIntCaseInsensitive JSONExtractFloatCaseInsensitive
  JSONExtractBoolCaseInsensitive JSONExtractStringCaseInsensitive JSONExtractRawCaseInsensitive
  JSONExtractArrayRawCaseInsensitive JSONExtractKeysCaseInsensitive JSONExtractKeysAndValuesCaseInsensitive
  JSONExtractKeysAndValuesRawCaseInsensitive JSON_EXISTS JSON_QUERY JSON_VALUE JSONArrayLength JSON_ARRAY_LENGTH JSONMergePatch
  isValidJSON toJSONString prettyPrintJSON simpleJSONHas simpleJSONExtractUInt simpleJSONExtractInt simpleJSONExtractFloat
  simpleJSONExtractBool simpleJSONExtractString simpleJSONExtractRaw

  array emptyArrayString emptyArrayUInt8 emptyArrayUInt16 emptyArrayUInt32 emptyArrayUInt64 emptyArrayInt8 emptyArrayInt16
  emptyArrayInt32 emptyArrayInt64 emptyArrayFloat32 emptyArrayFloat64 emptyArrayDate emptyArrayDateTime emptyArrayToSingle
  arrayConcat arrayElement arrayElementOrNull has hasAll hasAny hasSubstr indexOf indexOfAssumeSorted countEqual arrayEnumerate
  arrayEnumerateUniq arrayEnumerateDense arrayPopBack arrayPopFront arrayPushBack arrayPushFront arraySlice arraySort
  arrayReverseSort arrayPartialSort arrayPartialReverseSort arrayUniq arrayJoin unnest arrayDifference arrayDistinct arrayIntersect
  arrayUnion arrayExcept arraySymmetricDifference arrayReverse arrayFlatten flatten arrayCompact arrayZip arrayZipUnaligned
  arrayMap arrayFilter arrayFill arrayReverseFill arraySplit arrayReverseSplit arrayExists arrayAll arrayCount arrayFirst
  arrayFirstOrNull arrayLast arrayLastOrNull arrayFirstIndex arrayLastIndex arrayMin arrayMax arraySum arrayAvg arrayProduct
  arrayCumSum arrayCumSumNonNegative arrayFold arrayRotateLeft arrayRotateRight arrayShiftLeft arrayShiftRight arrayShingles
  arrayStringConcat array_to_string arrayJaccardIndex arrayLevenshteinDistance arrayDotProduct arrayRemove arrayAutocorrelation
  arrayTopK arrayBottomK arrayTranspose dotProduct scalarProduct
  map mapFromArrays mapAdd mapSubtract mapContains mapContainsKey mapContainsValue mapContainsKeyLike mapContainsValueLike
  mapKeys mapValues mapExtractKeyLike mapExtractValueLike mapApply mapFilter mapUpdate mapConcat mapExists mapAll mapSort
  mapReverseSort mapPartialSort mapPartialReverseSort
  tuple tupleElement tupleConcat tupleNames tupleToNameValuePairs tupleHammingDistance tuplePlus vectorSum tupleMinus
  vectorDifference tupleMultiply tupleDivide tupleNegate tupleMultiplyByNumber tupleDivideByNumber flattenTuple
  L1Norm L2Norm L2SquaredNorm LinfNorm LpNorm L1Distance L2Distance L2SquaredDistance LinfDistance LpDistance cosineDistance

  CAST accurateCast accurateCastOrNull toString toStringCutToZero toFixedString toBool toDecimalString
  toInt8 toInt16 toInt32 toInt64 toInt128 toInt256 toUInt8 toUInt16 toUInt32 toUInt64 toUInt128 toUInt256 toFloat32 toFloat64
  toInt8OrNull toInt16OrNull toInt32OrNull toInt64OrNull toInt128OrNull toInt256OrNull toUInt8OrNull toUInt16OrNull toUInt32OrNull
  toUInt64OrNull toUInt128OrNull toUInt256OrNull toFloat32OrNull toFloat64OrNull toInt8OrZero toInt16OrZero toInt32OrZero
  toInt64OrZero toInt128OrZero toInt256OrZero toUInt8OrZero toUInt16OrZero toUInt32OrZero toUInt64OrZero toUInt128OrZero
  toUInt256OrZero toFloat32OrZero toFloat64OrZero toInt8OrDefault toInt16OrDefault toInt32OrDefault toInt64OrDefault
  toUInt8OrDefault toUInt16OrDefault toUInt32OrDefault toUInt64OrDefault toFloat32OrDefault toFloat64OrDefault
  toDecimal32 toDecimal64 toDecimal128 toDecimal256 toDecimal32OrNull toDecimal64OrNull toDecimal128OrNull toDecimal256OrNull
  toDecimal32OrZero toDecimal64OrZero toDecimal128OrZero toDecimal256OrZero toUUID toUUIDOrNull toUUIDOrZero toUUIDOrDefault
  UUIDStringToNum UUIDNumToString reinterpretAsUInt8 reinterpretAsUInt16 reinterpretAsUInt32 reinterpretAsUInt64
  reinterpretAsInt8 reinterpretAsInt16 reinterpretAsInt32 reinterpretAsInt64 reinterpretAsFloat32 reinterpretAsFloat64
  reinterpretAsString

  halfMD5 MD4 MD5 SHA1 SHA224 SHA256 SHA384 SHA512 SHA512_256 RIPEMD160 keccak256 CRC32 CRC32IEEE CRC64 cityHash64 farmHash64
  farmFingerprint64 metroHash64 sipHash64 sipHash128 murmurHash2_32 murmurHash2_64 murmurHash3_32 murmurHash3_64 murmurHash3_128
  gccMurmurHash kafkaMurmurHash javaHash javaHashUTF16LE hiveHash xxHash32 xxHash64 xxh3 wyHash64 intHash32 intHash64 URLHash
  jumpConsistentHash
  greatCircleDistance greatCircleAngle geoDistance pointInPolygon pointInEllipses geohashEncode geohashDecode`;

/** Allowed names without aggregate functions, in lower case. */
export const FUNCTIONS: ReadonlySet<string> = new Set(NAMES.trim().toLowerCase().split(/\s+/));

/** Whether a caller's SQL may call a function. Case does not matter, as for many names in ClickHouse. */
export function isAllowedFunction(name: string): boolean {
  return FUNCTIONS.has(name.toLowerCase()) || isAllowedAggregate(name);
}

/** Functions whose last argument is the name of a type, as text. */
export const TYPE_NAME_FUNCTIONS: ReadonlySet<string> = new Set(
  ['CAST', 'accurateCast', 'accurateCastOrNull', 'JSONExtract', 'JSONExtractCaseInsensitive'].map((name) =>
    name.toLowerCase(),
  ),
);
