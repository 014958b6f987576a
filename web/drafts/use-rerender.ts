import { useReducer } from 'react';

/**
 * Draws the component anew at once. What is written lives among what was fetched, which tells of a change only a moment later: by then
 * the field that was typed into has been put back to what it was, and its cursor to the end.
 */
export function useRerender(): () => void {
  const [, rerender] = useReducer((times: number) => times + 1, 0);
  return rerender;
}
