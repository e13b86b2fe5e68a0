import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import type { Problem } from '../api.js';
import { SQL, type Endpoint, type Parameter, type Values } from '../model/endpoint.js';
import { inOrder } from '../model/request.js';
import { Field, type FormContext } from './field.js';

interface Props extends FormContext {
  readonly problem: Problem | undefined;
  /** Whether the page, not its user, made the request: then the focus stays where it is. */
  readonly isRepeated: boolean;
  readonly running: boolean;
  readonly onValues: (values: Values) => void;
  readonly onRun: () => void;
  readonly onStop: () => void;
}

/** Further parameters are hidden at first, unless they have a value. */
const SHOWN_AT_FIRST = 6;

/** The form of a request, generated from the declared parameters. */
export function RequestForm(props: Props): VNode {
  const { endpoint, values, problem, isRepeated, onValues, onRun } = props;
  const form = useRef<HTMLFormElement>(null);
  useFocusOnProblem(form, isRepeated ? undefined : problem);
  useKeptFocus(endpoint);
  const [all, setAll] = useState(false);
  const wrong = problem?.problems.map(({ param }) => param) ?? [];
  const shown = shownParameters(endpoint.parameters, [...Object.keys(values), ...wrong]);
  const listed = all ? endpoint.parameters : shown;
  const change = (name: string, value: string | undefined): void => {
    onValues(inOrder(endpoint, { ...values, [name]: value }));
  };
  return (
    <form
      ref={form}
      class="request"
      aria-label="Parameters"
      onSubmit={(event) => {
        event.preventDefault();
        onRun();
      }}
      onKeyDown={runOnControlEnter(onRun)}
    >
      <div class="fields">
        {listed.map((parameter) => (
          <Field
            key={parameter.name}
            parameter={parameter}
            form={props}
            value={values[parameter.name]}
            problem={problemAt(problem, parameter.name)}
            onValue={(value) => {
              change(parameter.name, value);
            }}
          />
        ))}
      </div>
      {endpoint.sandboxing === 'enabled' && (
        <SqlField
          value={values[SQL] ?? ''}
          problem={problemAt(problem, SQL)}
          onValue={(value) => {
            change(SQL, value);
          }}
        />
      )}
      <Actions
        {...props}
        isFolded={shown.length < endpoint.parameters.length}
        all={all}
        onAll={() => {
          setAll(!all);
        }}
      />
    </form>
  );
}

/** In a text area, Enter alone begins a line. */
const runOnControlEnter =
  (onRun: () => void) =>
  (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    onRun();
  };

interface ActionsProps extends Props {
  /** Whether some parameters are not shown at first. */
  readonly isFolded: boolean;
  readonly all: boolean;
  readonly onAll: () => void;
}

function Actions({ endpoint, running, onValues, onStop, isFolded, all, onAll }: ActionsProps): VNode {
  const fill = (values: Values) => (): void => {
    onValues(values);
  };
  return (
    <div class="actions">
      <button type="submit" class="primary" title="Enter, or Ctrl+Enter in the text area">
        Run
      </button>
      {running && (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      )}
      {(endpoint.parameters.length > 0 || endpoint.sandboxing === 'enabled') && (
        <>
          <button type="button" onClick={fill(endpoint.example)}>
            Fill in the example
          </button>
          <button type="button" onClick={fill({})}>
            Clear
          </button>
        </>
      )}
      {(all || isFolded) && (
        <button type="button" class="quiet" aria-expanded={all} onClick={onAll}>
          {all ? 'Fewer parameters' : `All ${endpoint.parameters.length} parameters`}
        </button>
      )}
    </div>
  );
}

/** Moves the focus to the first field with a problem. */
function useFocusOnProblem(
  form: { readonly current: HTMLFormElement | null },
  problem: Problem | undefined,
): void {
  useEffect(() => {
    if (!problem) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [problem]);
}

/** A changed declaration can replace or move the control that has the focus. */
function useKeptFocus(endpoint: Endpoint): void {
  const focused = document.activeElement?.id ?? '';
  useLayoutEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isLost && focused !== '') document.getElementById(focused)?.focus();
  }, [endpoint]);
}

const problemAt = (problem: Problem | undefined, name: string): string | undefined =>
  problem?.problems.find(({ param }) => param === name)?.problem;

function shownParameters(parameters: readonly Parameter[], named: readonly string[]): readonly Parameter[] {
  if (parameters.length <= SHOWN_AT_FIRST + 3) return parameters;
  return parameters.filter(
    ({ name, required }, index) => index < SHOWN_AT_FIRST || required || named.includes(name),
  );
}

interface SqlProps {
  readonly value: string;
  readonly problem: string | undefined;
  readonly onValue: (value: string | undefined) => void;
}

function SqlField({ value, problem, onValue }: SqlProps): VNode {
  return (
    <div class={`field ${problem === undefined ? '' : 'wrong'}`}>
      <label for="field-sql">sql</label>
      <textarea
        id="field-sql"
        rows={5}
        spellcheck={false}
        value={value}
        aria-invalid={problem !== undefined}
        aria-describedby={`${problem === undefined ? '' : 'field-sql-problem '}field-sql-hint`}
        onInput={(event) => {
          onValue(event.currentTarget.value === '' ? undefined : event.currentTarget.value);
        }}
      />
      {problem !== undefined && (
        <p id="field-sql-problem" class="field-problem">
          {problem}
        </p>
      )}
      <p id="field-sql-hint" class="hint">
        One SELECT of your own over <code>result</code> and the named parts of the saved query. Empty: the
        result as it is. Ctrl+Enter runs it.
      </p>
    </div>
  );
}
