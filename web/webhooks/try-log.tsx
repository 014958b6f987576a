import { Button, Group, Modal, Stack, Switch, Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { Webhook, WebhookTry } from '../api/operations.ts';
import { useWithdrawable } from '../api/use-withdrawable.ts';
import { Problem } from '../parts/failed.tsx';
import { Moment } from '../parts/moment.tsx';
import { More } from '../parts/more.tsx';
import { showToast } from '../parts/notify.ts';
import { QueryStatus } from '../parts/query-status.tsx';
import { t } from '../i18n/translate.ts';
import { isEvent } from './event-kinds.ts';
import { Answer, Outcome } from './outcome.tsx';
import { attemptsQuery, webhooksQuery } from './webhooks-query.ts';
import classes from './webhooks.module.css';

/** What came of telling a webhook, of 30 days. */
export function TryLog({ webhook, opened, close }: { webhook: Webhook; opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title={t('webhooks.logTitle')} size="xl">
      <Log webhook={webhook} />
    </Modal>
  );
}

function Log({ webhook }: { webhook: Webhook }) {
  const client = useQueryClient();
  const [failedOnly, setFailedOnly] = useState(false);
  const log = useInfiniteQuery(attemptsQuery(webhook, failedOnly));
  const tries = log.data?.pages.flatMap((page) => page.tries) ?? [];
  const telling = useWithdrawable({
    act: (messageId: string, signal) =>
      call('venom/retry-webhook', { webhook_id: webhook.webhook_id, message_id: messageId }, { signal }),
    onSuccess: () => {
      showToast(t('webhooks.againDone', { count: 1 }));
      return client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
    },
  });
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" className={classes.url}>
        {webhook.url}
      </Text>
      <Switch
        label={t('webhooks.failedOnly')}
        checked={failedOnly}
        onChange={(event) => setFailedOnly(event.currentTarget.checked)}
        data-autofocus
      />
      <Problem error={telling.error} />
      <QueryStatus of={log} rows={4} />
      {log.data && tries.length === 0 && (
        <Text size="sm" c="dimmed">
          {failedOnly ? t('webhooks.noneFailed') : t('webhooks.noTries')}
        </Text>
      )}
      {tries.length > 0 && (
        <ul className={classes.tries}>
          {tries.map((one) => (
            <Attempt
              key={`${one.message_id} ${one.at}`}
              of={one}
              isRetrying={telling.isPending && telling.variables === one.message_id}
              {...(webhook.status !== 'disabled' && { retry: () => telling.mutate(one.message_id) })}
            />
          ))}
        </ul>
      )}
      <More of={log} size="xs" />
    </Stack>
  );
}

function Attempt({ of, retry, isRetrying }: { of: WebhookTry; retry?: () => void; isRetrying: boolean }) {
  return (
    <li className={classes.try}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
        <Stack gap={2} miw={0}>
          <Text size="sm" fw={550}>
            {eventName(of.type)}
          </Text>
          <Group gap={8}>
            <Outcome of={of} />
            <Text size="xs" c="dimmed">
              <Moment at={of.at} />
            </Text>
          </Group>
        </Stack>
        {retry && (
          <Button
            size="compact-sm"
            variant="subtle"
            flex="none"
            loading={isRetrying}
            aria-label={t('webhooks.againLabel', { event: eventName(of.type) })}
            onClick={retry}
          >
            {t('webhooks.again')}
          </Button>
        )}
      </Group>
      <details className={classes.details}>
        <summary>{t('webhooks.details')}</summary>
        <Stack gap={6} mt={6}>
          <Text size="xs" c="dimmed" className={classes.url}>
            {t('webhooks.message', { type: of.type, id: of.message_id })}
          </Text>
          {of.status !== null && <Answer of={of} />}
        </Stack>
      </details>
    </li>
  );
}

/** What no words are kept for is called as the wire has it. */
function eventName(type: string): string {
  if (type === 'webhook.test') return t('webhooks.testEvent');
  return isEvent(type) ? t(`webhooks.events.${type}`) : type;
}
