import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { AccountStatus } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { Problem } from '../parts/failed.tsx';
import { useNow } from '../parts/moment.tsx';
import { Section } from '../parts/page.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { words } from '../words/words.ts';
import { useLink } from './use-link.ts';

const HALF = 4;

/** What the phone has to be shown, or told, to be linked; renewed as the account's state is asked again. */
export function Linking({ account }: { account: AccountStatus }) {
  const { qr, pairing_code: code } = account;
  const { linking, unlinking } = useLink();
  const isBusy = linking.isPending || unlinking.isPending;
  const other = code === undefined ? 'pairing_code' : 'qr';
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that was pressed is gone: whoever came here by keyboard would begin again at the top.
    if (document.activeElement === document.body) box.current?.focus();
  }, []);
  return (
    <Section title={words.account.link}>
      <Group ref={box} tabIndex={-1} gap="xl" align="flex-start" role="group" aria-label={words.account.link}>
        {qr !== undefined && <QrCode text={qr} label={words.account.qrLabel} size={300} />}
        <Stack gap="sm" className="grow">
          {code !== undefined && <PairingCode code={code} />}
          {(qr ?? code) === undefined ? (
            <Text size="sm">{words.account.renewing}</Text>
          ) : (
            <Steps steps={code === undefined ? words.account.qrSteps : words.account.codeSteps} />
          )}
          <TimeLeft account={account} />
          <Group gap="xs">
            <Button
              variant="default"
              loading={linking.isPending}
              disabled={isBusy}
              onClick={() => linking.mutate({ method: other })}
            >
              {other === 'qr' ? words.account.qrInstead : words.account.codeInstead}
            </Button>
            <Button
              variant="default"
              loading={unlinking.isPending}
              disabled={isBusy}
              onClick={() => unlinking.mutate()}
            >
              {words.account.stopLinking}
            </Button>
          </Group>
          <Problem error={linking.error ?? unlinking.error} />
        </Stack>
      </Group>
    </Section>
  );
}

/** In two halves, as the phone asks for it; read out letter by letter. */
function PairingCode({ code }: { code: string }) {
  return (
    <Text className="pairing-code" component="div" role="img" aria-label={words.account.codeLabel([...code].join(' '))}>
      {code.slice(0, HALF)}-{code.slice(HALF)}
    </Text>
  );
}

function Steps({ steps }: { steps: readonly string[] }) {
  return (
    <List type="ordered" size="sm" spacing={6}>
      {steps.map((step) => (
        <List.Item key={step}>{step}</List.Item>
      ))}
    </List>
  );
}

function TimeLeft({ account: { expires_at: expiresAt } }: { account: AccountStatus }) {
  const nowMs = useNow(1_000);
  if (expiresAt === undefined) return null;
  const seconds = Math.max(0, Math.ceil((Date.parse(expiresAt) - nowMs) / 1_000));
  return (
    <Text size="sm" c="dimmed">
      {seconds === 0 ? words.account.renewing : words.account.expires(count(seconds))}
    </Text>
  );
}
