import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

import { cellText, number } from '../model/display.js';
import { DataTable } from '../parts/data-table.js';
import type { TableColumn } from '../parts/table-column.js';
import { post } from './post.js';
import type { RunningCalls } from './snapshot.js';

interface Props {
  readonly running: RunningCalls;
  readonly onChange: () => void;
}

const column = (name: string, label: string, type: string): TableColumn => ({
  ...{ name, label, type, description: '' },
});

const COLUMNS: readonly TableColumn[] = [
  {
    ...column('seconds', 'For', 'Float64'),
    show: (value) => (typeof value === 'number' ? `${number(Math.round(value * 10) / 10)} s` : '–'),
  },
  column('endpoint', 'Endpoint', 'String'),
  column('key', 'Key', 'String'),
  { ...column('parameters', 'Parameters', 'String'), show: (value) => JSON.stringify(value) },
];

/** The calls that this gateway runs, longest first, each with a button that cancels it. */
export function RunningCallTable({ running: { calls }, onChange }: Props): VNode {
  const [problem, setProblem] = useState('');
  if (calls.length === 0) return <p class="notice">No call runs now.</p>;
  const cancel = async (id: string): Promise<void> => {
    const answer = await post(`calls/${encodeURIComponent(id)}/cancel`);
    setProblem(answer.ok ? '' : answer.detail);
    onChange();
  };
  const withButton: readonly TableColumn[] = [
    ...COLUMNS,
    {
      ...column('id', 'Request id', 'String'),
      show: (value) => {
        const id = cellText(value);
        return (
          <>
            <span class="mono">{id}</span>{' '}
            <button type="button" onClick={() => void cancel(id)}>
              Cancel
            </button>
          </>
        );
      },
    },
  ];
  return (
    <>
      {problem !== '' && (
        <p class="field-problem" role="alert">
          {problem}
        </p>
      )}
      <DataTable
        label="Calls that run now"
        columns={withButton}
        rows={calls}
        keyOf={({ id }) => cellText(id)}
      />
    </>
  );
}
