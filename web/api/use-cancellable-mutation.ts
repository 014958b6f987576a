import { useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { showToast } from '../parts/notify.ts';
import { words } from '../words/words.ts';
import { isInFlight } from './call.ts';

/**
 * A mutation that can be cancelled while it is in flight; unmounting the component cancels it. `act` passes the signal to the requests it
 * makes. A request that has reached the service is not undone: a toast says so when the outcome is unknown.
 */
export function useCancellableMutation<Result, Variables = void>({
  act,
  ...options
}: { act: (variables: Variables, signal: AbortSignal) => Promise<Result> } & Omit<
  UseMutationOptions<Result, unknown, Variables>,
  'mutationFn'
>): UseMutationResult<Result, unknown, Variables> & { cancel: () => void } {
  const controllerRef = useRef<AbortController>(undefined);
  const mutation = useMutation({
    ...options,
    mutationFn: async (variables: Variables) => {
      const controller = new AbortController();
      controllerRef.current = controller;
      try {
        return await act(variables, controller.signal);
      } finally {
        if (controllerRef.current === controller) controllerRef.current = undefined;
      }
    },
  });
  const cancel = () => {
    const controller = controllerRef.current;
    if (!controller) return;
    const isSent = isInFlight(controller.signal);
    controllerRef.current = undefined;
    controller.abort();
    mutation.reset();
    if (isSent) showToast(words.problems.withdrawn);
  };
  const atEnd = useEffectEvent(cancel);
  useEffect(() => () => atEnd(), []);
  return { ...mutation, cancel };
}
