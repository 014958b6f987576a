import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { exactTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';

/** What a receiver verifies with: a secret, or for `v1a` a public key. */
export interface Verifier {
  secret: string | null;
  public_key: string | null;
  /** How long the previous secret stays valid; null: it has expired. */
  former_secret_until?: string | null;
}

/** A secret is shown only once. */
export function WebhookSecret({
  of: { secret, public_key: publicKey, ...of },
  close,
}: {
  of: Verifier;
  close: () => void;
}) {
  const zone = useZone();
  const shown = secret ?? publicKey ?? '';
  const until = of.former_secret_until ?? undefined;
  return (
    <Stack gap="sm">
      <Alert variant="default">{secret === null ? t('webhooks.publicKeyNote') : t('webhooks.secretOnce')}</Alert>
      <Code block className={textClasses.breakable}>
        {shown}
      </Code>
      {until !== undefined && <Text size="sm">{t('webhooks.bothUntil', { when: exactTime(until, zone) })}</Text>}
      <Group justify="flex-end">
        <CopyButton value={shown} label={secret === null ? t('webhooks.copyPublicKey') : t('webhooks.copySecret')} />
        <Button size="xs" onClick={close}>
          {t('common.done')}
        </Button>
      </Group>
    </Stack>
  );
}
