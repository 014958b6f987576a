import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';

const WAIT_MS = 200;

/**
 * A choice that lives in the query of the page's address under `name`, where Back and a copied address find it again. `fallback`, which
 * is also what anything unknown there means, is left out of the address. No step of the history is made of it.
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
    // As it is by now: several of them may be set at once.
    const { pathname, search } = window.location;
    const next = new URLSearchParams(search);
    if (value === fallback) next.delete(name);
    else next.set(name, value);
    go(next.size === 0 ? pathname : `${pathname}?${next.toString()}`, { replace: true });
  };
  return [kept !== null && isKnown(kept) ? kept : fallback, set];
}

/** For `useQueryParam`: whether it is one of a few. */
export function oneOf<Value extends string>(values: readonly Value[]): (value: string) => value is Value {
  return (value): value is Value => values.some((one) => one === value);
}

/** For `useQueryParam`: whether it can be the id of a saved list; none is chosen where it is empty. */
export function isListId(text: string): text is string {
  return /^\d{0,15}$/.test(text);
}

const isText = (_value: string): _value is string => true;

/** What is typed into a field, and, a moment after the last key, what it is as the address has it. */
export function useDebouncedQueryParam(name: string): {
  typed: string;
  setTyped: (text: string) => void;
  settled: string;
} {
  const [settled, keep] = useQueryParam(name, '', isText);
  const [field, setField] = useState({ typed: settled, settled });
  // It has come from elsewhere, as by Back.
  if (field.settled !== settled) setField({ typed: settled, settled });
  // Browsers refuse an address that changes with every key.
  const setDebounced = useDebouncedCallback(keep, WAIT_MS);
  const setTyped = (typed: string) => {
    setField((before) => ({ ...before, typed }));
    setDebounced(typed);
  };
  return { typed: field.typed, setTyped, settled };
}
