import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { AccountStatus } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { ErrorText } from '../parts/error-alert.tsx';
import boxClasses from '../parts/box.module.css';
import { Callout } from '../parts/callout.tsx';
import { Section } from '../parts/page.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { t } from '../i18n/translate.ts';
import { Letters } from './letters.tsx';
import { LinkSteps } from './link-steps.tsx';
import { PasskeyPanel } from './passkey-panel.tsx';
import { TimeLeft } from './time-left.tsx';
import { useAccountLink } from './use-link.ts';
import classes from './linking-panel.module.css';

/** The QR or pairing code that links the phone, or what follows it. It is renewed when the account's state is polled. */
export function LinkingPanel({ account }: { account: AccountStatus }) {
  const { qr, pairing_code: code, passkey, expires_at: expiresAt } = account;
  const { linking, unlinking } = useAccountLink();
  const isBusy = linking.isPending || unlinking.isPending;
  const other = code === undefined ? 'pairing_code' : 'qr';
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that was pressed is gone. Without this, keyboard focus would restart at the top of the page.
    if (document.activeElement === document.body) box.current?.focus();
  }, []);
  const stop = (
    <Button variant="default" loading={unlinking.isPending} disabled={isBusy} onClick={() => unlinking.mutate()}>
      {t('account.stopLinking')}
    </Button>
  );
  if (passkey)
    return (
      <Section title={t('account.passkey.title')}>
        <Stack gap="md" data-hides-fab>
          <PasskeyPanel passkey={passkey} expiresAt={expiresAt} />
          <Group gap="xs">{stop}</Group>
          <ErrorText error={unlinking.error} />
        </Stack>
      </Section>
    );
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
          {code !== undefined && (
            <Letters code={code} label={t('account.codeLabel', { letters: [...code].join(' ') })} />
          )}
          {(qr ?? code) === undefined && <Skeleton width={320} height={320} maw="100%" />}
          <TimeLeft expiresAt={expiresAt} label={t('account.timeLeft')} describe={describeTimeLeft} />
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
            {stop}
          </Group>
          <ErrorText error={linking.error ?? unlinking.error} />
        </Stack>
      </div>
    </Section>
  );
}

function describeTimeLeft(seconds: number): string {
  return seconds === 0 ? t('account.renewing') : t('account.expires', { seconds: count(seconds) });
}
