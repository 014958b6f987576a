import { useReducer } from 'react';

/**
 * Returns a function that rerenders at once. The query cache notifies a moment later, and by then React would have reset the field and its
 * cursor.
 */
export function useRerender(): () => void {
  const [, rerender] = useReducer((times: number) => times + 1, 0);
  return rerender;
}
