import type { VNode } from 'preact';

import type { Problem } from '../api.js';
import type { BoundValue, DevelopmentEndpoint } from '../model/development.js';
import { cellText } from '../model/display.js';
import { SqlCode } from '../parts/sql-code.js';
import { OpenInEditor } from './editor.js';
import type { ShownSql } from './use-shown-sql.js';

/** The SQL that ClickHouse gets for the values of the form, and its file. */
export function SqlPanel({ shown, problem }: ShownSql): VNode {
  return (
    <section class="sql-panel" aria-label="SQL">
      {shown && <File shown={shown} />}
      {problem && <Invalid problem={problem} isStale={shown !== undefined} />}
      {shown ? (
        <>
          <div class={problem ? 'outdated' : ''}>
            <SqlCode label="SQL as ClickHouse gets it" sql={shown.sql} />
          </div>
          <BoundValues parameters={shown.parameters} />
        </>
      ) : (
        !problem && <p class="hint">Checking…</p>
      )}
    </section>
  );
}

function File({ shown: { file, path } }: { readonly shown: DevelopmentEndpoint }): VNode {
  return (
    <p class="file">
      <strong>SQL</strong>
      {file !== undefined && <code>{file}</code>}
      {path !== undefined && <OpenInEditor name={file ?? path} place={{ path }} />}
    </p>
  );
}

function Invalid({ problem, isStale }: { readonly problem: Problem; readonly isStale: boolean }): VNode {
  return (
    <p class="notice warn" role="status">
      {problem.detail} {isStale && 'This SQL is that of the last valid values.'}
    </p>
  );
}

function BoundValues({ parameters }: { readonly parameters: readonly BoundValue[] }): VNode | null {
  if (parameters.length === 0) return null;
  return (
    <dl class="facts bound" aria-label="Bound values">
      {parameters.map(({ name, type, value }) => (
        <div key={name}>
          <dt>
            {name} <code>{type}</code>
          </dt>
          <dd>
            <code>{value === null ? 'NULL' : cellText(value as string | number | boolean | object)}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}
