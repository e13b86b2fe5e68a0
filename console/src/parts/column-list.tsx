import type { VNode } from 'preact';

import type { Column } from '../model/endpoint.js';

/** The columns of a result and their meanings. */
export function ColumnList({ columns }: { readonly columns: readonly Column[] }): VNode {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Columns">
      <table>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Type</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, type, description }) => (
            <tr key={name}>
              <td class="mono">{name}</td>
              <td class="mono muted">{type}</td>
              <td class="wrap">{description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
