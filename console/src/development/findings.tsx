import type { VNode } from 'preact';

import type { Findings, TableRead } from '../model/development.js';
import { milliseconds, number } from '../model/display.js';

/** What the check of an endpoint found, and what its example costs. */
export function FindingsView({ findings }: { readonly findings: Findings | null }): VNode {
  return (
    <div class="findings">
      {findings ? <Found findings={findings} /> : <p class="hint">Not checked yet.</p>}
    </div>
  );
}

/** How many faults and warnings the check found, as a title has them; empty for none. */
export function findingsCount(findings: Findings | null | undefined): string {
  const count = (findings?.faults.length ?? 0) + (findings?.warnings.length ?? 0);
  return count === 0 ? '' : ` (${count})`;
}

function Found({ findings }: { readonly findings: Findings }): VNode {
  const { faults, warnings, tables } = findings;
  return (
    <>
      <Texts kind="bad" title={faults.length === 1 ? 'Fault' : 'Faults'} texts={faults} />
      <Texts kind="warn" title={warnings.length === 1 ? 'Warning' : 'Warnings'} texts={warnings} />
      <p class="hint">{summaryOf(findings)}</p>
      {tables.length > 0 && <Tables tables={tables} />}
    </>
  );
}

function summaryOf({ faults, warnings, rows, rowsRead, milliseconds: ms }: Findings): string {
  const clean = faults.length + warnings.length === 0 ? ['No faults, no warnings.'] : [];
  const cost = [
    ...(rows === undefined ? [] : [`${number(rows)} ${rows === 1 ? 'row' : 'rows'}`]),
    ...(rowsRead === undefined ? [] : [`${number(rowsRead)} read`]),
    ...(ms === undefined ? [] : [milliseconds(ms)]),
  ];
  return [...clean, ...(cost.length === 0 ? [] : [`The example: ${cost.join(' · ')}.`])].join(' ');
}

interface TextsProps {
  readonly kind: 'bad' | 'warn';
  readonly title: string;
  readonly texts: readonly string[];
}

function Texts({ kind, title, texts }: TextsProps): VNode | null {
  if (texts.length === 0) return null;
  return (
    <div class={`notice ${kind}`}>
      <strong>{title}</strong>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}

function Tables({ tables }: { readonly tables: readonly TableRead[] }): VNode {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="What the example reads">
      <table>
        <thead>
          <tr>
            <th>Table</th>
            <th class="number">Parts</th>
            <th class="number">Granules</th>
            <th class="number">Rows</th>
          </tr>
        </thead>
        <tbody>
          {tables.map(({ table, parts, partsOf, granules, granulesOf, rows }, index) => (
            <tr key={index}>
              <td>{table}</td>
              <td class="number">{`${number(parts)} of ${number(partsOf)}`}</td>
              <td class="number">{`${number(granules)} of ${number(granulesOf)}`}</td>
              <td class="number">{number(rows)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
