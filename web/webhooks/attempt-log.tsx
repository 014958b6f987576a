import { Button, Group, Modal, Stack, Switch, Text, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { Webhook, WebhookTry } from '../api/operations.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { ErrorText } from '../parts/error-alert.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { LoadMoreButton } from '../parts/load-more-button.tsx';
import { showToast } from '../parts/notify.ts';
import { QueryStatus } from '../parts/query-status.tsx';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';
import { isEvent } from './event-kinds.ts';
import { AttemptResponse, AttemptOutcome } from './attempt-outcome.tsx';
import { attemptsQuery, webhooksQuery } from './webhook-queries.ts';
import classes from './webhooks.module.css';

/** The delivery attempts of a webhook in the last 30 days. */
export function AttemptLogDialog({ webhook, opened, close }: { webhook: Webhook; opened: boolean; close: () => void }) {
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
  const telling = useCancellableMutation({
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
      <ErrorText error={telling.error} />
      <QueryStatus of={log} rows={4} />
      {log.data && tries.length === 0 && (
        <Text size="sm" c="dimmed">
          {failedOnly ? t('webhooks.noneFailed') : t('webhooks.noTries')}
        </Text>
      )}
      {tries.length > 0 && (
        <ul className={classes.attempts}>
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
      <LoadMoreButton of={log} size="xs" />
    </Stack>
  );
}

function Attempt({ of, retry, isRetrying }: { of: WebhookTry; retry?: () => void; isRetrying: boolean }) {
  return (
    <li className={classes.attempt}>
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <Text size="sm" fw={550} className={textClasses.clip} title={eventName(of.type)}>
          {eventName(of.type)}
        </Text>
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
        <summary>
          <VisuallyHidden>{t('webhooks.details')}: </VisuallyHidden>
          <AttemptOutcome of={of} />
          <Text span size="xs" c="dimmed">
            <RelativeTime at={of.at} />
          </Text>
        </summary>
        <Stack gap={6} mt={6}>
          <Text size="xs" c="dimmed" className={classes.url}>
            {t('webhooks.message', { type: of.type, id: of.message_id })}
          </Text>
          {of.status !== null && <AttemptResponse of={of} />}
        </Stack>
      </details>
    </li>
  );
}

/** An unknown event is shown by its name. */
function eventName(type: string): string {
  if (type === 'webhook.test') return t('webhooks.testEvent');
  return isEvent(type) ? t(`webhooks.events.${type}`) : type;
}
