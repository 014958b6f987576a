import { Button, Modal, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { AccountStatus } from '../api/operations.ts';
import { accountQuery } from '../api/queries.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { sessionQuery } from '../api/session.ts';
import { isNational } from '../format/phone.ts';
import { fieldProblems } from '../format/problem.ts';
import { FormErrorText, ErrorText } from '../parts/error-alert.tsx';
import { LargeCallout } from '../parts/callout.tsx';
import { PhoneField } from '../parts/phone-field.tsx';
import { DialogFoot } from '../parts/save-bar.tsx';
import { showToast } from '../parts/notify.ts';
import { t } from '../i18n/translate.ts';
import classes from './account-number.module.css';

/** Shows the account's number, with a button to change it while it can still be changed. */
export function AccountNumber({ number, canChange }: { number: string; canChange: boolean }) {
  const [isChanging, setChanging] = useState(false);
  const close = () => setChanging(false);
  return (
    <span className={classes.number}>
      {number}
      {canChange && (
        <Button size="compact-sm" variant="default" onClick={() => setChanging(true)}>
          {t('ownNumber.change')}
        </Button>
      )}
      <Modal opened={isChanging} onClose={close} title={t('ownNumber.title')}>
        <NumberForm close={close} />
      </Modal>
    </span>
  );
}

/** The form for the number of the default account. Without `close` it is for the first number of a person who signed up without one. */
export function NumberForm({ close }: { close?: () => void }) {
  const changing = useChangeNumber();
  const form = useForm({
    initialValues: { whatsapp_number: '' },
    validate: {
      whatsapp_number: (number) =>
        number.trim() === '' ? t('signUp.missing') : isNational(number) ? t('phoneField.incomplete') : null,
    },
  });
  const change = ({ whatsapp_number: number }: typeof form.values) =>
    changing.mutate(number, {
      onSuccess: () => {
        showToast(t('ownNumber.changed'));
        close?.();
      },
      onError: (error) => form.setErrors(fieldProblems(error)),
    });
  return (
    <form onSubmit={form.onSubmit(change)} noValidate>
      <Stack gap="md">
        <Text size="sm">{t('ownNumber.note')}</Text>
        <PhoneField
          label={t('fields.whatsapp_number')}
          {...(close && { 'data-autofocus': true })}
          autoComplete="tel"
          {...form.getInputProps('whatsapp_number')}
        />
        {close ? (
          <DialogFoot acting={changing} close={close} />
        ) : (
          <>
            <FormErrorText error={changing.error} />
            <Button type="submit" mr="auto" loading={changing.isPending}>
              {t('ownNumber.enter')}
            </Button>
          </>
        )}
      </Stack>
    </form>
  );
}

/** Shown after a phone with another number was scanned: offers to take over that number and to link it. */
export function NumberMismatchCallout({
  account,
  scanned,
  isFurther,
}: {
  account: AccountStatus;
  scanned: string;
  /** Its number cannot be changed: another account can be added instead. */
  isFurther: boolean;
}) {
  const taking = useChangeNumber((signal) => call('venom/connect-account', { method: 'qr' }, { signal }));
  if (isFurther)
    return (
      <LargeCallout icon="alert" role="status" title={t('ownNumber.otherTitle', { scanned })}>
        <Text size="sm">{t('accounts.otherNumber', { number: account.whatsapp_number })}</Text>
      </LargeCallout>
    );
  return (
    <LargeCallout icon="alert" role="status" title={t('ownNumber.otherTitle', { scanned })}>
      <Text size="sm">{t('ownNumber.other', { number: account.whatsapp_number })}</Text>
      <Button size="xs" mt="xs" loading={taking.isPending} onClick={() => taking.mutate(scanned)}>
        {t('ownNumber.take', { scanned })}
      </Button>
      <ErrorText error={taking.error} />
    </LargeCallout>
  );
}

/** Changes the number, then runs `next`. */
function useChangeNumber(next?: (signal: AbortSignal) => Promise<unknown>) {
  const client = useQueryClient();
  return useCancellableMutation({
    act: async (number: string, signal) => {
      const profile = await call('user/update_profile', { whatsapp_number: number }, { signal });
      client.setQueryData(sessionQuery.queryKey, (before) => (before ? { ...before, ...profile } : before));
      await next?.(signal);
    },
    onSettled: () => client.invalidateQueries({ queryKey: accountQuery.queryKey }),
  });
}
