/** Sets a timer; returns a function that cancels it. */
export type SetTimer = (callback: () => void, milliseconds: number) => () => void;

export const setRealTimer: SetTimer = (callback, milliseconds) => {
  const timer = setTimeout(callback, milliseconds);
  return () => {
    clearTimeout(timer);
  };
};
