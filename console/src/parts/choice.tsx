import type { VNode } from 'preact';

interface Props {
  readonly title: string;
  readonly of: readonly string[];
  readonly value: string;
  /** The first choice, which is the empty text; absent where something must be chosen. */
  readonly none?: string;
  readonly onValue: (value: string) => void;
}

/** One of several names. */
export function Choice({ title, of, value, none, onValue }: Props): VNode {
  return (
    <label>
      {title}{' '}
      <select
        value={value}
        onChange={(event) => {
          onValue(event.currentTarget.value);
        }}
      >
        {none !== undefined && <option value="">{none}</option>}
        {of.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
