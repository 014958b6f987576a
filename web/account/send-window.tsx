import { Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { SendWindow } from '../api/operations.ts';
import { accountsQuery, sendWindowQueryOf } from '../api/queries.ts';
import { count } from '../format/numbers.ts';
import { waitText } from '../format/wait-text.ts';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { SaveBar, showSaved } from '../parts/save-bar.tsx';
import { WholeNumber } from '../parts/whole-number.tsx';
import { t } from '../i18n/translate.ts';
import { useChosenAccountId } from './chosen-account.ts';

const CAP_LIMIT = 1_000_000;
const MENTIONS_LIMIT = 10;
const WEEKLY_LIMIT = 100;
const NIGHT = { from: '22:00', to: '07:00' };

/** Quiet hours and the daily caps. */
export function SendWindowSettings() {
  const rests = useQuery(sendWindowQueryOf(useChosenAccountId()));
  return (
    <Section title={t('rests.title')}>
      <QueryStatus of={rests} rows={2} />
      {rests.data && <SendWindowForm rests={rests.data} />}
    </Section>
  );
}

function SendWindowForm({ rests }: { rests: SendWindow }) {
  const client = useQueryClient();
  const accountId = useChosenAccountId();
  const form = useForm({
    initialValues: {
      isQuiet: rests.quiet_hours !== null,
      ...(rests.quiet_hours ?? NIGHT),
      cap: (rests.daily_cap ?? '') as number | string,
      mentions: rests.mention_all_cap as number | string,
      weekly: (rests.weekly_posts ?? '') as number | string,
    },
    validate: {
      from: (from, { isQuiet }) => (isQuiet && from === '' ? t('rests.timeMissing') : null),
      to: (to, { isQuiet, from }) =>
        !isQuiet ? null : to === '' ? t('rests.timeMissing') : to === from ? t('rests.sameTime') : null,
    },
  });
  const saving = useMutation({
    mutationFn: ({ isQuiet, from, to, cap, mentions, weekly }: typeof form.values) =>
      call('venom/update-account', {
        account_id: accountId,
        quiet_hours: isQuiet ? { from, to } : 'none',
        daily_cap: cap === '' ? 'none' : Number(cap),
        mention_all_cap: Number(mentions),
        weekly_posts: weekly === '' ? 'none' : Number(weekly),
      }),
    onSuccess: (saved, values) => {
      form.resetDirty(values);
      client.setQueryData(sendWindowQueryOf(accountId).queryKey, saved);
      void client.invalidateQueries({ queryKey: accountsQuery.queryKey });
      showSaved();
    },
  });
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))} noValidate>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t('rests.note')}</Text>
        <Checkbox
          label={t('rests.quiet', { zone: rests.time_zone })}
          {...form.getInputProps('isQuiet', { type: 'checkbox' })}
        />
        {form.values.isQuiet && (
          <Group gap="sm" align="flex-start">
            <TextInput type="time" label={t('rests.from')} {...form.getInputProps('from')} />
            <TextInput type="time" label={t('rests.to')} {...form.getInputProps('to')} />
          </Group>
        )}
        <Caps inputProps={(name) => form.getInputProps(name)} />
        <SendWindowStatus rests={rests} />
        <SaveBar isChanged={form.isDirty()} saving={saving} discard={form.reset} />
      </Stack>
    </form>
  );
}

function Caps({ inputProps }: { inputProps: (name: 'cap' | 'mentions' | 'weekly') => object }) {
  return (
    <>
      <WholeNumber
        hideControls
        w={360}
        maw="100%"
        label={t('rests.cap')}
        description={t('rests.capHint')}
        min={1}
        max={CAP_LIMIT}
        {...inputProps('cap')}
      />
      <WholeNumber
        hideControls
        w={360}
        maw="100%"
        label={t('rests.mentions')}
        description={t('rests.mentionsHint')}
        min={0}
        max={MENTIONS_LIMIT}
        {...inputProps('mentions')}
      />
      <WholeNumber
        hideControls
        w={360}
        maw="100%"
        label={t('rests.weekly')}
        description={t('rests.weeklyHint')}
        min={1}
        max={WEEKLY_LIMIT}
        {...inputProps('weekly')}
      />
    </>
  );
}

function SendWindowStatus({
  rests: { daily_cap: cap, sent_today: sent, rests_until: until, rest_reason: reason, time_zone: zone },
}: {
  rests: SendWindow;
}) {
  return (
    <>
      {cap !== null && sent !== null && (
        <Text size="sm">{t('rests.sentToday', { sent: count(sent), cap: count(cap) })}</Text>
      )}
      {until !== null && reason !== undefined && (
        <Text size="sm">{waitText({ reason, since: null, until }, zone)}</Text>
      )}
    </>
  );
}
