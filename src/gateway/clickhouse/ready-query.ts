import { randomInt } from 'node:crypto';

import type { BoundQuery } from '../../endpoint/bind.js';
import type { ClickHouseFormat } from '../formats/format.js';
import type { QueryRequest } from '../query/ports.js';
import { parametersOf, searchOf } from './multipart-parameters.js';
import type { ReadyQuery } from './query-connections.js';
import type { SettingLayers } from './query-settings.js';

/** Query ids end with eight hexadecimal digits. Node.js takes random integers from a pool. */
const QUERY_ID_RANGE = 2 ** 32;

/** A query, its format, and what it runs with. */
export interface QueryToSend {
  readonly bound: BoundQuery;
  readonly format: ClickHouseFormat;
  readonly settings: SettingLayers;
  readonly request: QueryRequest;
  /** Values of further parameters, in ClickHouse's escaped form. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Renders a query for ClickHouse's HTTP interface, with an id of its own. */
export async function readyQuery({
  bound,
  format,
  settings,
  request,
  values,
}: QueryToSend): Promise<
  Pick<ReadyQuery, 'search' | 'body' | 'headers' | 'signal' | 'onResponse'> & { readonly queryId: string }
> {
  const { requestId, signal, traceHeaders, onResponse, data } = request;
  // Two callers may send the same request id at the same time; ClickHouse requires unique ids.
  const queryId = `${requestId}-${randomInt(QUERY_ID_RANGE).toString(16).padStart(8, '0')}`;
  // In the text, because the names of thousands of parts are too long for the URL that some proxies accept.
  const ofData = data ? `\nSETTINGS additional_table_filters = ${data.tableFilters}` : '';
  const text = `${bound.text}\nFORMAT ${format.name}${ofData}`;
  const { parameters, body, headers } = await parametersOf(text, bound, values);
  // `log_comment` is not in `settings`, which DESCRIBE uses too: it marks only the queries that run for a request.
  const own = searchOf(...settings, format.settings, { log_comment: requestId, query_id: queryId });
  return {
    queryId,
    search: parameters === '' ? own : `${own}&${parameters}`,
    body,
    headers: { ...traceHeaders, ...headers },
    signal,
    onResponse,
  };
}
