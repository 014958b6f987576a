import { useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import { showToast } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';
import { isOnItsWay } from './call.ts';

/**
 * A mutation that can be withdrawn while it is under way, and is when whatever began it goes away. `act` hands the signal on to what it
 * calls. What had arrived by then is not taken back: the user is
 * told so where that is not known.
 */
export function useWithdrawable<Result, Variables = void>({
  act,
  ...options
}: { act: (variables: Variables, signal: AbortSignal) => Promise<Result> } & Omit<
  UseMutationOptions<Result, unknown, Variables>,
  'mutationFn'
>): UseMutationResult<Result, unknown, Variables> & { withdraw: () => void } {
  const underWay = useRef<AbortController>(undefined);
  const mutation = useMutation({
    ...options,
    mutationFn: async (variables: Variables) => {
      const controller = new AbortController();
      underWay.current = controller;
      try {
        return await act(variables, controller.signal);
      } finally {
        if (underWay.current === controller) underWay.current = undefined;
      }
    },
  });
  const withdraw = () => {
    const controller = underWay.current;
    if (!controller) return;
    const isSent = isOnItsWay(controller.signal);
    underWay.current = undefined;
    controller.abort();
    mutation.reset();
    if (isSent) showToast(t('problems.withdrawn'));
  };
  const atEnd = useEffectEvent(withdraw);
  useEffect(() => () => atEnd(), []);
  return { ...mutation, withdraw };
}
