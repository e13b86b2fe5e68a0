import type { VNode } from 'preact';

import type { Parameter } from '../model/endpoint.js';
import { inputModeOf, type Suggestion } from '../model/parameter.js';

/** The control of a parameter. */
export interface ControlProps {
  readonly id: string;
  readonly parameter: Parameter;
  /** Undefined: omitted. */
  readonly value: string | undefined;
  readonly problem: string | undefined;
  readonly onValue: (value: string | undefined) => void;
  readonly suggestions: readonly Suggestion[];
  readonly onFocus: () => void;
}

/** The attributes of every control. */
export const attributesOf = ({ id, parameter, problem }: ControlProps) =>
  ({
    id,
    name: parameter.name,
    'aria-describedby': `${problem === undefined ? '' : `${id}-problem `}${id}-hint`,
    'aria-invalid': problem !== undefined,
    'aria-required': parameter.required,
  }) as const;

/** The attributes of a control that a person types into. */
export const typedAttributesOf = (props: ControlProps) =>
  ({
    ...attributesOf(props),
    autocomplete: 'off',
    value: props.value ?? '',
    onInput: ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }): void => {
      props.onValue(value === '' ? undefined : value);
    },
  }) as const;

/** A field for one line of text, with suggestions where there are some. */
export function Input(props: ControlProps): VNode {
  const { id, parameter, suggestions, onFocus } = props;
  const shared = {
    ...typedAttributesOf(props),
    inputMode: inputModeOf(parameter),
    spellcheck: false,
    placeholder: parameter.default === undefined ? undefined : `default: ${parameter.default}`,
    onFocus,
  };
  // The same element with and without suggestions, so that it keeps the focus while they load.
  return (
    <>
      {suggestions.length > 0 ? (
        <input {...shared} type="text" list={`${id}-list`} />
      ) : (
        <input {...shared} type="text" />
      )}
      {suggestions.length > 0 && (
        <datalist id={`${id}-list`}>
          {suggestions.map(({ value, label }) => (
            <option key={value} value={value} label={label} />
          ))}
        </datalist>
      )}
    </>
  );
}
