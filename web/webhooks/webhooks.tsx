import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../api/workspace.ts';
import { Empty } from '../parts/empty.tsx';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { t } from '../i18n/translate.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { NewWebhookForm } from './webhook-form.tsx';
import { WebhookRow } from './webhook-row.tsx';
import { webhooksQuery } from './webhook-queries.ts';
import classes from './webhooks.module.css';

/** The limit of a workspace (contract §4). */
const LIMIT = 20;

/** The workspace's webhooks. Managers test them and read their logs; the owner changes them. */
export function Webhooks() {
  const webhooks = useQuery(webhooksQuery);
  const [isMaking, making] = useDisclosure(false);
  const isOwner = useMay('owner') !== false;
  const all = webhooks.data?.webhooks ?? [];
  return (
    <Section
      title={t('webhooks.title')}
      aside={
        isOwner && (
          <Button size="xs" variant="default" disabled={all.length >= LIMIT} onClick={making.open}>
            {t('webhooks.new')}
          </Button>
        )
      }
    >
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {t('webhooks.lead')}{' '}
          <Anchor href="/docs#/Webhooks" target="_blank" rel="noopener" inherit underline="always">
            {t('webhooks.howTo')}
          </Anchor>
        </Text>
        <RoleNote needs="owner" />
        <QueryStatus of={webhooks} rows={2} />
        {webhooks.data && all.length === 0 && (
          <Empty isSmall sample="webhooks">
            {t('webhooks.none')}
          </Empty>
        )}
        {all.length >= LIMIT && <Text size="sm">{t('webhooks.full', { limit: String(LIMIT) })}</Text>}
        {all.length > 0 && (
          <ul className={classes.webhooks}>
            {all.map((webhook) => (
              <WebhookRow key={webhook.webhook_id} webhook={webhook} />
            ))}
          </ul>
        )}
      </Stack>
      <SecretDialog opened={isMaking} close={making.close} title={t('webhooks.new')}>
        {(show) => <NewWebhookForm onMade={show} close={making.close} />}
      </SecretDialog>
    </Section>
  );
}
