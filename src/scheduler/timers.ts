/** Calls back once, after so many milliseconds, unless what it gives is called before. */
export type SetTimer = (callback: () => void, milliseconds: number) => () => void;

export const setRealTimer: SetTimer = (callback, milliseconds) => {
  const timer = setTimeout(callback, milliseconds);
  return () => {
    clearTimeout(timer);
  };
};
