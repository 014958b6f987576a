import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { words } from '../words/words.ts';
import { SecretDialog } from './secret-dialog.tsx';
import { NewWebhookForm } from './webhook-form.tsx';
import { WebhookRow } from './webhook-row.tsx';
import { webhooksQuery } from './webhook-queries.ts';
import classes from './webhooks.module.css';

/** The limit of a workspace (contract §4). */
const LIMIT = 20;

/** The workspace's webhooks. */
export function Webhooks() {
  const webhooks = useQuery(webhooksQuery);
  const [isMaking, making] = useDisclosure(false);
  const all = webhooks.data?.webhooks ?? [];
  return (
    <Section
      title={words.webhooks.title}
      aside={
        <Button size="xs" variant="default" disabled={all.length >= LIMIT} onClick={making.open}>
          {words.webhooks.new}
        </Button>
      }
    >
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {words.webhooks.lead}{' '}
          <Anchor href="/docs#/Webhooks" target="_blank" rel="noopener" inherit underline="always">
            {words.webhooks.howTo}
          </Anchor>
        </Text>
        <QueryStatus of={webhooks} rows={2} />
        {webhooks.data && all.length === 0 && <Text size="sm">{words.webhooks.none}</Text>}
        {all.length >= LIMIT && <Text size="sm">{words.webhooks.full(String(LIMIT))}</Text>}
        {all.length > 0 && (
          <ul className={classes.webhooks}>
            {all.map((webhook) => (
              <WebhookRow key={webhook.webhook_id} webhook={webhook} />
            ))}
          </ul>
        )}
      </Stack>
      <SecretDialog opened={isMaking} close={making.close} title={words.webhooks.new}>
        {(show) => <NewWebhookForm onMade={show} />}
      </SecretDialog>
    </Section>
  );
}
