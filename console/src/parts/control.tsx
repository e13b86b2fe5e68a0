import type { VNode } from 'preact';

import { isList } from '../model/parameter.js';
import { attributesOf, Input, typedAttributesOf, type ControlProps } from './input.js';
import { TimeControl } from './time-control.js';

/** The control of a parameter, by its kind. */
export function Control(props: ControlProps): VNode {
  const { parameter, value = '' } = props;
  if (parameter.secret) return <input {...typedAttributesOf(props)} type="password" />;
  if (isList(parameter)) return <Input {...props} />;
  if (parameter.choices) return <Choice {...props} choices={parameter.choices} />;
  if (parameter.kind === 'timestamp') return <TimeControl {...props} />;
  // A date field would show nothing for a text of a shared address that is no date.
  const isDate = parameter.kind === 'date' && /^(\d{4}-\d\d-\d\d)?$/.test(value);
  return isDate ? <input {...typedAttributesOf(props)} type="date" /> : <Input {...props} />;
}

function Choice({ choices, ...props }: ControlProps & { readonly choices: readonly string[] }): VNode {
  const { parameter, value = '', onValue } = props;
  // A shared address can have a value that is not a choice. The form shows it, and the gateway reports the problem.
  const shown = value === '' || choices.includes(value) ? choices : [value, ...choices];
  return (
    <select
      {...attributesOf(props)}
      value={value}
      onChange={(event) => {
        onValue(event.currentTarget.value === '' ? undefined : event.currentTarget.value);
      }}
    >
      <option value="">{withoutChoice(parameter)}</option>
      {shown.map((choice) => (
        <option key={choice} value={choice}>
          {choice}
        </option>
      ))}
    </select>
  );
}

function withoutChoice({ required, default: fallback }: ControlProps['parameter']): string {
  if (fallback !== undefined) return `(default: ${fallback})`;
  return required ? 'Choose…' : '(not set)';
}
