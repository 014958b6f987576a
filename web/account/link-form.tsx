import { Anchor, Button, Group, Radio, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { AccountStatus } from '../api/operations.ts';
import { sendWindowQueryOf } from '../api/queries.ts';
import { ErrorText } from '../parts/error-alert.tsx';
import { Icon } from '../parts/icons.tsx';
import { Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import { NumberForm } from './account-number.tsx';
import { useChosenAccountId } from './chosen-account.ts';
import { useAccountLink } from './use-link.ts';

const MESSENGERS = ['sandbox', 'whatsapp'] as const;
type Messenger = (typeof MESSENGERS)[number];

/**
 * The form that links an unlinked account. `isFirst`: no phone has been linked yet. `isFurther`: an account that was added keeps the messaging
 * app that it was added with.
 */
export function LinkForm({
  account,
  isFirst,
  isFurther,
}: {
  account: AccountStatus;
  isFirst: boolean;
  isFurther: boolean;
}) {
  const [messenger, setMessenger] = useState<Messenger>(account.messenger === 'sandbox' ? 'sandbox' : 'whatsapp');
  const { linking } = useAccountLink();
  const choose = (value: string) => {
    setMessenger(value as Messenger);
    linking.reset();
  };
  return (
    <Section title={t('account.choose')}>
      <Stack gap="md" align="flex-start">
        {!isFurther && (
          <SegmentedControl
            aria-label={t('account.messenger')}
            value={messenger}
            onChange={choose}
            disabled={linking.isPending}
            data={MESSENGERS.map((value) => ({ value, label: t(`account.${value}`) }))}
          />
        )}
        {messenger === 'sandbox' ? (
          <Sandbox account={account} linking={linking} />
        ) : account.whatsapp_number === '' ? (
          <NumberForm />
        ) : (
          <WhatsApp account={account} linking={linking} isFirst={isFirst} isFurther={isFurther} />
        )}
        <ErrorText error={linking.error} />
      </Stack>
    </Section>
  );
}

interface Choice {
  account: AccountStatus;
  linking: ReturnType<typeof useAccountLink>['linking'];
}

function Sandbox({ account: { messenger, status }, linking }: Choice) {
  return (
    <>
      <Text size="sm">{t('account.sandboxNote')}</Text>
      {messenger === 'sandbox' && status === 'connected' ? (
        <Anchor component={Link} href="/phone" size="sm" underline="always">
          {t('account.lookAtPhone')}
        </Anchor>
      ) : (
        <Button loading={linking.isPending} onClick={() => linking.mutate({ messenger: 'sandbox', method: 'qr' })}>
          {t('account.goToSandbox')}
        </Button>
      )}
    </>
  );
}

function WhatsApp({
  account: { messenger, whatsapp_number: number },
  linking,
  isFirst,
  isFurther,
}: Choice & { isFirst: boolean; isFurther: boolean }) {
  const { data: rests } = useQuery(sendWindowQueryOf(useChosenAccountId()));
  const [chosen, setChosen] = useState<string | null>(null);
  // The user answered this question in an earlier attempt.
  const use = chosen ?? (rests?.warm_up ? 'new' : null);
  const [isMissing, setMissing] = useState(false);
  const link = (method: 'qr' | 'pairing_code') => {
    setMissing(isFirst && use === null);
    if (!isFirst) linking.mutate({ messenger: 'whatsapp', method });
    else if (use !== null) linking.mutate({ messenger: 'whatsapp', method, warm_up: use === 'new' });
  };
  const button = (method: 'qr' | 'pairing_code', label: string) => (
    <Button
      variant={method === 'qr' ? 'filled' : 'default'}
      {...(method === 'qr' && { leftSection: <Icon name="qr" size={16} /> })}
      loading={linking.isPending && linking.variables.method === method}
      disabled={linking.isPending}
      onClick={() => link(method)}
    >
      {label}
    </Button>
  );
  return (
    <>
      <Text size="sm">
        {isFurther ? t('accounts.whatsappNote', { number }) : t('account.whatsappNote', { number })}
      </Text>
      <Text size="sm">{t('account.whatsappRisk')}</Text>
      {messenger === 'sandbox' && <Text size="sm">{t('account.leavesSandbox')}</Text>}
      {isFirst && (
        <Radio.Group
          label={t('warmUp.question')}
          value={use}
          onChange={(value) => {
            setChosen(value);
            setMissing(false);
          }}
          error={isMissing && t('warmUp.answerMissing')}
        >
          <Stack gap="xs" my="xs">
            <Radio value="used" label={t('warmUp.isUsed')} />
            <Radio value="new" label={t('warmUp.isNew')} description={t('warmUp.newHint')} />
          </Stack>
        </Radio.Group>
      )}
      <Group gap="xs">
        {button('qr', t('account.linkByQr'))}
        {button('pairing_code', t('account.linkByCode'))}
      </Group>
    </>
  );
}
