import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { fetchLinking, makeLink, type Problem } from '../api.js';
import { problemOf } from '../hooks.js';
import { toFragment, type Address } from '../model/address.js';
import { duration } from '../model/display.js';
import type { Endpoint, Values } from '../model/endpoint.js';
import { secretsOf } from '../model/request.js';
import { CopyButton } from './copy-button.js';
import { Dropdown } from './dropdown.js';

interface Props {
  readonly endpoint: Endpoint;
  /** Address of the call, without secrets. */
  readonly address: Address & { readonly values: Values };
  readonly keyText: string;
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Seconds for which a signed link can be valid. */
const LIFETIMES = [HOUR, DAY, 7 * DAY, 30 * DAY];

const longest = new Map<string, Promise<number>>();

/** Seconds for which a link of a key can be valid; 0 where it may sign none. Asked once for each key: it counts as a request. */
function longestLink(key: string): Promise<number> {
  const asked =
    longest.get(key) ??
    fetchLinking(key, new AbortController().signal).then(
      ({ mayLink, maxExpiresIn }) => (mayLink ? maxExpiresIn : 0),
      // A gateway that does not report a lifetime signs no links. The next call requests the lifetime again.
      () => {
        longest.delete(key);
        return 0;
      },
    );
  longest.set(key, asked);
  return asked;
}

/** A link to this page with the call, for whoever has a key; and a signed link to the rows, where the key may sign. */
export function Share({ endpoint, address, keyText }: Props): VNode {
  const [maxExpiresIn, setMaxExpiresIn] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    void longestLink(keyText).then((seconds) => {
      if (isCurrent) setMaxExpiresIn(seconds);
    });
    return () => {
      isCurrent = false;
    };
  }, [keyText]);
  const mayLink = maxExpiresIn > 0 && secretsOf(endpoint.parameters).length === 0;
  return (
    <>
      <CopyButton label="Copy link" text={() => new URL(toFragment(address), location.href).href} />
      {mayLink && <SignedLink {...{ address, keyText, maxExpiresIn }} />}
    </>
  );
}

/** What came of signing a link with some values. */
interface Made {
  readonly of: string;
  readonly link?: string;
  readonly problem?: Problem;
}

const NOT_MADE: Made = { of: '' };

interface SignedProps extends Pick<Props, 'address' | 'keyText'> {
  readonly maxExpiresIn: number;
}

function SignedLink({ address, keyText, maxExpiresIn }: SignedProps): VNode {
  const { endpoint, values } = address;
  const lifetimes = LIFETIMES.filter((seconds) => seconds <= maxExpiresIn);
  if (!lifetimes.includes(maxExpiresIn)) lifetimes.push(maxExpiresIn);
  const [expiresIn, setExpiresIn] = useState(Math.min(7 * DAY, maxExpiresIn));
  const [made, setMade] = useState<Made>();
  const of = JSON.stringify(values);
  const { link, problem } = made?.of === of ? made : NOT_MADE;
  const sign = async (): Promise<void> => {
    try {
      setMade({ of, link: await makeLink({ endpoint, parameters: values, expiresIn }, keyText) });
    } catch (error) {
      setMade({ of, problem: problemOf(error) });
    }
  };
  return (
    <Dropdown title="Signed link" class="sign">
      <p class="hint">Whoever has this link gets the rows of this call, without a key, until it expires.</p>
      <label>
        Valid for{' '}
        <select
          value={expiresIn}
          onChange={(event) => {
            setExpiresIn(Number(event.currentTarget.value));
          }}
        >
          {lifetimes.map((seconds) => (
            <option key={seconds} value={seconds}>
              {duration(seconds)}
            </option>
          ))}
        </select>
      </label>{' '}
      <button type="button" onClick={() => void sign()}>
        Sign
      </button>
      {link !== undefined && (
        <p role="status">
          <input class="signed" readOnly aria-label="The signed link" value={link} />
          <CopyButton label="Copy signed link" text={() => link} />
        </p>
      )}
      {problem && (
        <p class="field-problem" role="alert">
          {problem.title}: {problem.detail}
        </p>
      )}
    </Dropdown>
  );
}
