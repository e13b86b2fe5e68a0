import type { VNode } from 'preact';

import { mayBeEmpty, type Parameter } from '../model/endpoint.js';

export interface FieldProps {
  readonly parameter: Parameter;
  /** Undefined: omitted. */
  readonly value: string | undefined;
  readonly problem: string | undefined;
  readonly onValue: (value: string | undefined) => void;
}

/** A parameter of a request: its name, its control, its description and its problem. */
export function Field(props: FieldProps): VNode {
  const { parameter, problem } = props;
  const id = `field-${parameter.name}`;
  return (
    <div class={`field ${problem === undefined ? '' : 'wrong'}`}>
      <label for={id}>
        {parameter.name}
        {parameter.required && (
          <span class="required" title="required">
            {' '}
            required
          </span>
        )}
      </label>
      <Control {...props} id={id} />
      {problem !== undefined && (
        <p id={`${id}-problem`} class="field-problem">
          {problem}
        </p>
      )}
      <p id={`${id}-hint`} class="hint">
        {parameter.description}
        {parameter.kind === 'timestamp' ? ' UTC where no zone is given.' : ''}
      </p>
      {mayBeEmpty(parameter) && <SendEmpty {...props} />}
    </div>
  );
}

function Control(props: FieldProps & { readonly id: string }): VNode {
  const { parameter, value = '', onValue, id, problem } = props;
  const shared = {
    id,
    name: parameter.name,
    'aria-describedby': `${problem === undefined ? '' : `${id}-problem `}${id}-hint`,
    'aria-invalid': problem !== undefined,
    'aria-required': parameter.required,
  };
  const typed = (event: { readonly currentTarget: HTMLInputElement | HTMLSelectElement }): void => {
    onValue(event.currentTarget.value === '' ? undefined : event.currentTarget.value);
  };
  if (parameter.choices) {
    // A shared address can have a value that is not a choice. The form shows it, and the gateway reports the problem.
    const choices =
      value === '' || parameter.choices.includes(value) ? parameter.choices : [value, ...parameter.choices];
    return (
      <select {...shared} value={value} onChange={typed}>
        <option value="">{parameter.required ? 'Choose…' : '(not given)'}</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  }
  const inputMode = parameter.kind === 'integer' ? 'numeric' : 'text';
  const text = (
    <input
      {...shared}
      type="text"
      inputMode={inputMode}
      autocomplete="off"
      spellcheck={false}
      value={value}
      onInput={typed}
    />
  );
  if (parameter.kind === 'timestamp') return <TimeControl {...props}>{text}</TimeControl>;
  if (!parameter.suggestions) return text;
  return (
    <>
      <input
        {...shared}
        type="text"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={typed}
        list={`${id}-list`}
      />
      <datalist id={`${id}-list`}>
        {parameter.suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </>
  );
}

/** A text field, which alone accepts microseconds and zones, beside the browser's date picker, which fills in UTC. */
function TimeControl({
  parameter,
  value = '',
  onValue,
  children,
}: FieldProps & { readonly children: VNode }): VNode {
  const at = /^\d{4}-\d\d-\d\d/.test(value)
    ? new Date(value.replace(' ', 'T').replace(/(T[\d:.]+)$/, '$1Z'))
    : undefined;
  const picked = at && !Number.isNaN(at.getTime()) ? at.toISOString().slice(0, 19) : '';
  return (
    <div class="time">
      {children}
      <input
        type="datetime-local"
        step="1"
        aria-label={`Pick ${parameter.name}, in UTC`}
        title="Pick a time, in UTC"
        value={picked}
        onInput={(event) => {
          const local = event.currentTarget.value;
          if (local !== '') onValue(`${local.length === 16 ? `${local}:00` : local}Z`);
        }}
      />
    </div>
  );
}

function SendEmpty({ parameter, value, onValue }: FieldProps): VNode {
  return (
    <label class="send-empty">
      <input
        type="checkbox"
        checked={value === ''}
        aria-label={`${parameter.name} is the empty text`}
        onChange={(event) => {
          onValue(event.currentTarget.checked ? '' : undefined);
        }}
      />{' '}
      is the empty text
    </label>
  );
}
