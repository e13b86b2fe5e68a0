import type { VNode } from 'preact';

import { mayBeEmpty, type Endpoint, type Parameter, type Values } from '../model/endpoint.js';
import { hintOf, suggestionsOf } from '../model/parameter.js';
import { choicesRequest } from '../model/request.js';
import { useChoices } from '../use-choices.js';
import { Control } from './control.js';

/** What the form of a field knows: other endpoints may list the values of a parameter. */
export interface FormContext {
  readonly endpoint: Endpoint;
  readonly endpoints: readonly Endpoint[];
  readonly values: Values;
  readonly keyText: string;
}

interface FieldProps {
  readonly parameter: Parameter;
  /** Undefined: omitted. */
  readonly value: string | undefined;
  readonly problem: string | undefined;
  readonly onValue: (value: string | undefined) => void;
  readonly form: FormContext;
}

/** A parameter of a request: its name, its control, its description and its problem. */
export function Field(props: FieldProps): VNode {
  const { parameter, value, problem, onValue, form } = props;
  const id = `field-${parameter.name}`;
  const request = choicesRequest(parameter, form);
  const { listed, load } = useChoices(request, parameter.choicesFrom?.column ?? '', form.keyText);
  const suggestions = suggestionsOf(parameter, value ?? '', listed);
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
        {parameter.deprecated && <span class="required"> deprecated</span>}
        {parameter.pinned && <span class="muted"> set by your key</span>}
      </label>
      {parameter.pinned ? (
        <input
          id={id}
          aria-describedby={`${id}-hint`}
          class="locked"
          readOnly
          value={parameter.pinned.value}
          placeholder="secret"
        />
      ) : (
        <Control {...{ id, parameter, value, problem, onValue, suggestions }} onFocus={load} />
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} class="field-problem">
          {problem}
        </p>
      )}
      <p id={`${id}-hint`} class="hint" title={hintOf(parameter)}>
        <span>{hintOf(parameter)}</span>
      </p>
      {mayBeEmpty(parameter) && !parameter.pinned && <SendEmpty {...props} />}
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
