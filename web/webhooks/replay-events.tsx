import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { Webhook } from '../api/operations.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { instantOf, localTime } from '../format/local-time.ts';
import { count } from '../format/numbers.ts';
import { fieldProblems } from '../format/problem.ts';
import { useZone } from '../format/zone-context.tsx';
import { FormErrorText } from '../parts/error-alert.tsx';
import { showToast } from '../parts/notify.ts';
import { words } from '../words/words.ts';
import { webhooksQuery } from './webhook-queries.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Replays the events of a time span, by default of the last hour. */
export function ReplayEvents({ webhook: { webhook_id: webhookId }, close }: { webhook: Webhook; close: () => void }) {
  const client = useQueryClient();
  const zone = useZone();
  const [openedMs] = useState(() => Date.now());
  const form = useForm({
    initialValues: {
      from: localTime(new Date(openedMs - HOUR_MS), zone),
      // Includes the current minute.
      to: localTime(new Date(openedMs + MINUTE_MS), zone),
    },
    validate: {
      from: (value) => (instantOf(value, zone) ? null : words.webhooks.timeMissing),
      to: (value, { from }) => {
        const end = instantOf(value, zone);
        if (!end) return words.webhooks.timeMissing;
        return end > (instantOf(from, zone) ?? end) ? null : words.webhooks.spanEmpty;
      },
    },
  });
  const telling = useCancellableMutation({
    act: ({ from, to }: typeof form.values, signal) => {
      const span = { from: instantOf(from, zone)?.toISOString(), to: instantOf(to, zone)?.toISOString() };
      return call('venom/retry-webhook', { webhook_id: webhookId, ...span }, { signal });
    },
    onSuccess: ({ message_count: many }) => {
      showToast(words.webhooks.againDone(many, count(many)));
      close();
      return client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
    },
    onError: (error) => form.setErrors(fieldProblems(error)),
  });
  return (
    <form onSubmit={form.onSubmit((values) => telling.mutate(values))} noValidate>
      <Stack gap="sm">
        <Text size="sm">{words.webhooks.againNote}</Text>
        <TextInput
          type="datetime-local"
          label={words.webhooks.againFrom}
          required
          data-autofocus
          {...form.getInputProps('from')}
        />
        <TextInput type="datetime-local" label={words.webhooks.againTo} required {...form.getInputProps('to')} />
        <Text size="sm" c="dimmed">
          {words.webhooks.inZone(zone)}
        </Text>
        <FormErrorText error={telling.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={telling.isPending}>
            {words.webhooks.again}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
