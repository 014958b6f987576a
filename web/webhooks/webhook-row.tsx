import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { call } from '../api/call.ts';
import type { Webhook } from '../api/operations.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { useMay } from '../api/workspace.ts';
import { exactTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { showSaved } from '../parts/save-bar.tsx';
import { Callout } from '../parts/callout.tsx';
import { Dot } from '../parts/status.tsx';
import type { Tone } from '../parts/status-tone.ts';
import { t } from '../i18n/translate.ts';
import { containsAll, filterName } from './event-kinds.ts';
import { WebhookMenu } from './webhook-menu.tsx';
import { AttemptResponse, AttemptOutcome } from './attempt-outcome.tsx';
import { sendTestEvent } from './send-test-event.ts';
import { webhooksQuery } from './webhook-queries.ts';
import classes from './webhooks.module.css';
import { AttemptLogDialog } from './attempt-log.tsx';

/** A webhook with its state and actions. */
export function WebhookRow({ webhook }: { webhook: Webhook }) {
  const client = useQueryClient();
  // Identical button labels would not tell the webhooks apart.
  const urlId = useId();
  const [isLogOpen, setLogOpen] = useState(false);
  const { webhook_id: webhookId, url, description } = webhook;
  const isOff = webhook.status === 'disabled';
  const isOwner = useMay('owner') !== false;
  const refresh = () => client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  const testing = useCancellableMutation({
    act: (_nothing: void, signal) => sendTestEvent(webhookId, signal),
    onSettled: refresh,
  });
  const switching = useCancellableMutation({
    act: (isEnabled: boolean, signal) =>
      call('venom/update-webhook', { webhook_id: webhookId, is_enabled: isEnabled }, { signal }),
    onSuccess: () => {
      showSaved();
      return refresh();
    },
  });
  return (
    <li className={classes.webhook} aria-labelledby={urlId}>
      <Stack gap={6}>
        <Text fw={550} id={urlId} className={classes.url}>
          {url}
        </Text>
        {description !== '' && (
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        )}
        <WebhookStatus webhook={webhook} />
      </Stack>
      <Group gap="xs" mt="sm" className={classes.actions}>
        {isOff && isOwner && (
          <Button
            size="xs"
            aria-describedby={urlId}
            loading={switching.isPending}
            onClick={() => switching.mutate(true)}
          >
            {t('webhooks.switchOn')}
          </Button>
        )}
        {!isOff && (
          <Button
            size="xs"
            variant="default"
            aria-describedby={urlId}
            loading={testing.isPending}
            onClick={() => testing.mutate()}
          >
            {t('webhooks.test')}
          </Button>
        )}
        <Button size="xs" variant="default" aria-describedby={urlId} onClick={() => setLogOpen(true)}>
          {t('webhooks.log')}
        </Button>
        <WebhookMenu webhook={webhook} urlId={urlId} switchOff={() => switching.mutate(false)} />
      </Group>
      <ErrorText error={switching.error ?? testing.error} />
      {!isOff && <TestResult testing={testing} />}
      <AttemptLogDialog webhook={webhook} opened={isLogOpen} close={() => setLogOpen(false)} />
    </li>
  );
}

/** The result of the test. A live region that exists before, so that it is announced. */
function TestResult({
  testing: { isPending, isSuccess, data },
}: {
  testing: { isPending: boolean; isSuccess: boolean; data: Awaited<ReturnType<typeof sendTestEvent>> | undefined };
}) {
  return (
    <div role="status">
      {isPending && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('webhooks.testing')}
        </Text>
      )}
      {isSuccess && data && (
        <Stack gap={6} mt="sm">
          <AttemptOutcome of={data} />
          {data.status !== null && <AttemptResponse of={data} />}
        </Stack>
      )}
      {isSuccess && !data && <Callout mt="sm">{t('webhooks.testWaits')}</Callout>}
    </div>
  );
}

function WebhookStatus({ webhook }: { webhook: Webhook }) {
  const zone = useZone();
  const [tone, label]: readonly [Tone, string] =
    webhook.status === 'active'
      ? ['good', t('webhooks.standing.active')]
      : webhook.status === 'failing'
        ? ['bad', t('webhooks.standing.failing')]
        : OFF[webhook.disabled_reason ?? 'by_owner']();
  const isAll = containsAll(webhook.events);
  const names = webhook.events.map(filterName);
  return (
    <>
      <Dot tone={tone} label={label} />
      <dl className={classes.facts}>
        {webhook.disabled_at !== null && (
          <Fact name={t('webhooks.offSince')}>
            <RelativeTime at={webhook.disabled_at} />
          </Fact>
        )}
        {webhook.status === 'failing' && (
          <>
            <Fact name={t('webhooks.failingSince')}>
              <RelativeTime at={webhook.failing_since} />
            </Fact>
            <Fact name={t('webhooks.nextTry')}>
              <RelativeTime at={webhook.next_try_at} />
            </Fact>
          </>
        )}
        <Fact name={t('webhooks.lastTry')}>
          {webhook.last_try ? (
            <>
              <AttemptOutcome of={webhook.last_try} />
              <Text span size="xs" c="dimmed">
                <RelativeTime at={webhook.last_try.at} />
              </Text>
            </>
          ) : (
            t('webhooks.noTry')
          )}
        </Fact>
        <Fact name={t('webhooks.tellsOf')}>
          <Text span inherit lineClamp={2} title={isAll ? undefined : names.join('\n')}>
            {isAll ? t('webhooks.everything') : names.join(' · ')}
          </Text>
        </Fact>
        {webhook.former_secret_until !== null && (
          <Fact name={t('webhooks.formerUntil')}>{exactTime(webhook.former_secret_until, zone)}</Fact>
        )}
      </dl>
    </>
  );
}

const OFF: Readonly<Record<NonNullable<Webhook['disabled_reason']>, () => readonly [Tone, string]>> = {
  by_owner: () => ['idle', t('webhooks.standing.by_owner')],
  gone: () => ['bad', t('webhooks.standing.gone')],
  failing: () => ['bad', t('webhooks.standing.given_up')],
};

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
