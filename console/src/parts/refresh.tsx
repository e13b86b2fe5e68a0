import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Seconds between two requests. */
const INTERVALS: readonly (readonly [title: string, seconds: number])[] = [
  ['10 s', 10],
  ['1 min', 60],
  ['5 min', 300],
];

/** Sends the last request again every so often, through the cache as any request; not while the tab is hidden. */
export function Refresh({ onRefresh }: { readonly onRefresh: () => void }): VNode {
  const [seconds, setSeconds] = useState(0);
  const refresh = useRef(onRefresh);
  refresh.current = onRefresh;
  useEffect(() => {
    if (seconds === 0) return undefined;
    let isMissed = false;
    const tick = (): void => {
      isMissed = document.hidden;
      if (!isMissed) refresh.current();
    };
    const onShown = (): void => {
      if (isMissed) tick();
    };
    const timer = setInterval(tick, seconds * 1000);
    document.addEventListener('visibilitychange', onShown);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onShown);
    };
  }, [seconds]);
  return (
    <label>
      <span class="unseen">Refresh</span>
      <select
        title="Sends the request again, while this tab is shown"
        value={seconds}
        onChange={(event) => {
          setSeconds(Number(event.currentTarget.value));
        }}
      >
        <option value={0}>No refresh</option>
        {INTERVALS.map(([title, each]) => (
          <option key={title} value={each}>
            {`Every ${title}`}
          </option>
        ))}
      </select>
    </label>
  );
}
