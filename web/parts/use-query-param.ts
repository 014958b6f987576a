import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';

const WAIT_MS = 200;

/**
 * State in the URL's query under `name`, for Back and for copied addresses. `fallback`, which also replaces unknown values, is left out of
 * the URL. Adds no history entry.
 */
export function useQueryParam<Value extends string>(
  name: string,
  fallback: Value,
  isKnown: (value: string) => value is Value,
): [Value, (value: Value) => void] {
  const [parameters] = useSearchParams();
  const [, go] = useLocation();
  const kept = parameters.get(name);
  const set = (value: Value) => {
    // Reads the current URL: several parameters may be set at once.
    const { pathname, search } = window.location;
    const next = new URLSearchParams(search);
    if (value === fallback) next.delete(name);
    else next.set(name, value);
    go(next.size === 0 ? pathname : `${pathname}?${next.toString()}`, { replace: true });
  };
  return [kept !== null && isKnown(kept) ? kept : fallback, set];
}

/** For `useQueryParam`: accepts a few values. */
export function oneOf<Value extends string>(values: readonly Value[]): (value: string) => value is Value {
  return (value): value is Value => values.some((one) => one === value);
}

/** For `useQueryParam`: accepts the id of a saved list, or an empty string for none. */
export function isListId(text: string): text is string {
  return /^\d{0,15}$/.test(text);
}

/** For `useQueryParam`: accepts any text. */
export const isText = (_value: string): _value is string => true;

/** A text field whose value is in the URL a moment after the last key. */
export function useDebouncedQueryParam(name: string): {
  typed: string;
  setTyped: (text: string) => void;
  settled: string;
} {
  const [settled, keep] = useQueryParam(name, '', isText);
  const [field, setField] = useState({ typed: settled, settled });
  // The URL has changed, as by Back.
  if (field.settled !== settled) setField({ typed: settled, settled });
  // Browsers throttle changes of the URL.
  const setDebounced = useDebouncedCallback(keep, WAIT_MS);
  const setTyped = (typed: string) => {
    setField((before) => ({ ...before, typed }));
    setDebounced(typed);
  };
  return { typed: field.typed, setTyped, settled };
}
