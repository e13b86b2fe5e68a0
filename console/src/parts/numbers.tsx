import type { VNode } from 'preact';

import { cellText } from '../model/display.js';
import type { Row } from '../model/endpoint.js';
import { Digits } from './digits.js';

/** The numbers of a single row, large. */
export function Numbers({ names, row }: { readonly names: readonly string[]; readonly row: Row }): VNode {
  return (
    <dl class="tiles numbers">
      {names.map((name) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{row[name] === null ? 'null' : <Digits text={cellText(row[name])} />}</dd>
        </div>
      ))}
    </dl>
  );
}
