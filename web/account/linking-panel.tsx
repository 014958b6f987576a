import { Button, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { AccountStatus } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { ErrorText } from '../parts/error-alert.tsx';
import boxClasses from '../parts/box.module.css';
import { useNow } from '../parts/relative-time.tsx';
import { Callout } from '../parts/callout.tsx';
import { Section } from '../parts/page.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { t } from '../i18n/translate.ts';
import { LinkSteps } from './link-steps.tsx';
import { useAccountLink } from './use-link.ts';
import classes from './linking-panel.module.css';

const HALF = 4;

/** The QR or pairing code that links the phone. It is renewed when the account's state is polled. */
export function LinkingPanel({ account }: { account: AccountStatus }) {
  const { qr, pairing_code: code } = account;
  const { linking, unlinking } = useAccountLink();
  const isBusy = linking.isPending || unlinking.isPending;
  const other = code === undefined ? 'pairing_code' : 'qr';
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that was pressed is gone. Without this, keyboard focus would restart at the top of the page.
    if (document.activeElement === document.body) box.current?.focus();
  }, []);
  return (
    <Section title={t('account.link')}>
      <div
        ref={box}
        tabIndex={-1}
        className={classes.linking}
        data-hides-fab
        role="group"
        aria-label={t('account.link')}
      >
        <Stack gap="sm" align="center" className={classes.code}>
          {qr !== undefined && <QrCode text={qr} label={t('account.qrLabel')} size={320} />}
          {code !== undefined && <PairingCode code={code} />}
          {(qr ?? code) === undefined && <Skeleton width={320} height={320} maw="100%" />}
          <TimeLeft account={account} />
        </Stack>
        <Stack gap="lg" className={boxClasses.grow}>
          {code === undefined && (
            <div className={classes.onPhones}>
              <Callout>{t('account.samePhone')}</Callout>
            </div>
          )}
          <LinkSteps method={code === undefined ? 'qr' : 'pairing_code'} />
          <Group gap="xs">
            <Button
              variant="default"
              loading={linking.isPending}
              disabled={isBusy}
              onClick={() => linking.mutate({ method: other })}
            >
              {other === 'qr' ? t('account.qrInstead') : t('account.codeInstead')}
            </Button>
            <Button
              variant="default"
              loading={unlinking.isPending}
              disabled={isBusy}
              onClick={() => unlinking.mutate()}
            >
              {t('account.stopLinking')}
            </Button>
          </Group>
          <ErrorText error={linking.error ?? unlinking.error} />
        </Stack>
      </div>
    </Section>
  );
}

/** In two halves, as WhatsApp asks for it; screen readers spell it. */
function PairingCode({ code }: { code: string }) {
  return (
    <Text
      className={classes.letters}
      component="div"
      role="img"
      aria-label={t('account.codeLabel', { letters: [...code].join(' ') })}
    >
      {code.slice(0, HALF)}-{code.slice(HALF)}
    </Text>
  );
}

/** How long the code stays valid, in words and as a shrinking bar. */
function TimeLeft({ account: { expires_at: expiresAt } }: { account: AccountStatus }) {
  const nowMs = useNow(1_000);
  const seconds = expiresAt === undefined ? 0 : Math.max(0, Math.ceil((Date.parse(expiresAt) - nowMs) / 1_000));
  // The validity of this code when it was first shown; each code has its own.
  const [total, setTotal] = useState({ expiresAt, seconds });
  if (total.expiresAt !== expiresAt) setTotal({ expiresAt, seconds });
  return (
    <div className={classes.timeLeft}>
      <Progress
        value={total.seconds === 0 ? 0 : (seconds / total.seconds) * 100}
        size="sm"
        aria-label={t('account.timeLeft')}
      />
      <Text size="sm" c="dimmed" ta="center" mt={6}>
        {seconds === 0 ? t('account.renewing') : t('account.expires', { seconds: count(seconds) })}
      </Text>
    </div>
  );
}
