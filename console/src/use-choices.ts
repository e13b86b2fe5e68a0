import { useEffect, useRef, useState } from 'preact/hooks';

import { run } from './api.js';
import { cellText } from './model/display.js';
import type { Row } from './model/endpoint.js';
import { isExact } from './model/exact-number.js';
import type { EndpointRequest } from './model/request.js';

/** Maximum choices: a longer list is unreadable, and browsers draw it slowly. */
const MOST = 1000;

/** The values of a parameter that another endpoint lists. */
export interface Choices {
  readonly listed: readonly string[];
  /** Requests them; equal requests are sent once. */
  readonly load: () => void;
}

/**
 * Lists the values of a parameter by a request to another endpoint. A failed request lists none.
 *
 * @param request undefined where no endpoint lists the values.
 * @param column of its rows.
 */
export function useChoices(request: EndpointRequest | undefined, column: string, key: string): Choices {
  const [listed, setListed] = useState<readonly string[]>([]);
  const sent = useRef('');
  const current = useRef<AbortController>(null);
  useEffect(() => () => current.current?.abort(), []);
  const load = (): void => {
    const wanted = request ? JSON.stringify(request) : '';
    if (!request || wanted === sent.current) return;
    sent.current = wanted;
    current.current?.abort();
    const controller = new AbortController();
    current.current = controller;
    const show = (values: readonly string[]): void => {
      if (!controller.signal.aborted) setListed(values);
    };
    run(request, key, controller.signal).then(
      ({ rows }) => {
        show(valuesIn(rows, column));
      },
      () => {
        show([]);
      },
    );
  };
  return { listed, load };
}

function valuesIn(rows: readonly Row[], column: string): readonly string[] {
  const values = rows.flatMap((row) => {
    const value = row[column];
    return typeof value === 'object' && !isExact(value) ? [] : [cellText(value)];
  });
  return [...new Set(values)].filter((value) => value !== '').slice(0, MOST);
}
