import { Anchor, Button, Code, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState, type SubmitEvent } from 'react';
import { CampanileError } from '../../clients/typescript/failure.ts';
import type { AccountStatus } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';
import { Letters } from './letters.tsx';
import { parsePasted, passkeyLine } from './passkey-line.ts';
import { PasskeyStepList } from './passkey-steps.tsx';
import { TimeLeft } from './time-left.tsx';
import { usePasskey } from './use-link.ts';

const WHATSAPP_WEB = 'https://web.whatsapp.com';

type Passkey = NonNullable<AccountStatus['passkey']>;

/** A phone has agreed, and WhatsApp asks for the passkey of its number: the steps on WhatsApp's page, then the characters to compare. */
export function PasskeyPanel({ passkey, expiresAt }: { passkey: Passkey; expiresAt: string | undefined }) {
  const { request_options: options, verification_code: code } = passkey;
  // Kept here: after a rejection the options, and with them the form, are others.
  const showing = usePasskey();
  return (
    <Stack gap="md">
      {options ? (
        <Answer key={String(options['challenge'])} options={options} showing={showing} />
      ) : (
        <OnPhone code={code} />
      )}
      <TimeLeft expiresAt={expiresAt} label={t('account.passkey.timeLeft')} describe={describeTimeLeft} />
    </Stack>
  );
}

function describeTimeLeft(seconds: number): string {
  return t('account.passkey.expires', { minutes: count(Math.floor(seconds / 60)), seconds: count(seconds % 60) });
}

interface AnswerProps {
  options: NonNullable<Passkey['request_options']>;
  showing: ReturnType<typeof usePasskey>;
}

function Answer({ options, showing }: AnswerProps) {
  const [pasted, setPasted] = useState('');
  const [isUnreadable, setUnreadable] = useState(false);
  const line = passkeyLine(options);
  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const assertion = parsePasted(pasted);
    setUnreadable(assertion === undefined);
    if (assertion !== undefined) showing.mutate({ assertion });
  };
  const { error, isPending } = showing;
  const isRejected = error instanceof CampanileError && error.status === 400;
  return (
    <form onSubmit={send}>
      <Stack gap="md">
        <Text size="sm">{t('account.passkey.why')}</Text>
        <PasskeyStepList
          steps={[
            <Anchor key="page" href={WHATSAPP_WEB} target="_blank" rel="noreferrer" size="sm" underline="always">
              {WHATSAPP_WEB}
            </Anchor>,
            <Stack key="line" gap="xs" align="flex-start">
              <Code block className={textClasses.breakable} tabIndex={0} aria-label={t('account.passkey.line')}>
                {line}
              </Code>
              <CopyButton value={line} />
            </Stack>,
            null,
            <Textarea
              key="answer"
              label={t('account.passkey.answer')}
              value={pasted}
              onChange={(event) => setPasted(event.currentTarget.value)}
              autosize
              minRows={3}
              maxRows={6}
              autoComplete="off"
              spellCheck={false}
              error={isUnreadable ? t('account.passkey.unreadable') : isRejected && t('account.passkey.rejected')}
            />,
          ]}
        />
        <Text size="sm" c="dimmed">
          {t('account.passkey.safe')}
        </Text>
        <Group gap="xs">
          <Button type="submit" loading={isPending} disabled={pasted.trim() === ''}>
            {t('account.passkey.submit')}
          </Button>
        </Group>
        <ErrorText error={isRejected ? null : error} />
      </Stack>
    </form>
  );
}

function OnPhone({ code }: { code: string | null }) {
  return (
    <Stack gap="md" align="center" aria-live="polite">
      <Text size="sm">{code === null ? t('account.passkey.accepted') : t('account.passkey.compare')}</Text>
      {code !== null && (
        <Letters code={code} label={t('account.passkey.codeLabel', { letters: [...code].join(' ') })} />
      )}
    </Stack>
  );
}
