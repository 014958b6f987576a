import { Group, List, Stack, Text } from '@mantine/core';
import type { AccountStatus } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { useNow } from '../parts/moment.tsx';
import { Section } from '../parts/page.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { words } from '../words/words.ts';

/** What the phone has to be shown, or told, to be linked; renewed as the account's state is asked again. */
export function Linking({ account }: { account: AccountStatus }) {
  const { qr, pairing_code: code, expires_at: expiresAt } = account;
  const nowMs = useNow(1_000);
  const secondsLeft =
    expiresAt === undefined ? undefined : Math.max(0, Math.ceil((Date.parse(expiresAt) - nowMs) / 1_000));
  return (
    <Section title={words.account.link}>
      <Group gap="xl" align="flex-start">
        {qr !== undefined && <QrCode text={qr} label={words.account.qrLabel} size={280} />}
        <Stack gap="sm" className="grow">
          {code !== undefined && (
            <Text className="pairing-code" aria-label={code.split('').join(' ')}>
              {code}
            </Text>
          )}
          <List type="ordered" size="sm" spacing={6}>
            {(code === undefined ? words.account.qrSteps : words.account.codeSteps).map((step) => (
              <List.Item key={step}>{step}</List.Item>
            ))}
          </List>
          {secondsLeft !== undefined && (
            <Text size="sm" c="dimmed">
              {words.account.expires(count(secondsLeft))}
            </Text>
          )}
        </Stack>
      </Group>
    </Section>
  );
}
