import { Code, Text } from '@mantine/core';
import type { Webhook, WebhookTry } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import textClasses from '../parts/text.module.css';
import { Dot } from '../parts/status.tsx';
import { t, type PlainKey } from '../i18n/translate.ts';

type Attempt = NonNullable<Webhook['last_try']>;

function isDelivered({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The outcome of an attempt, in a line. */
export function AttemptOutcome({ of }: { of: Attempt }) {
  const { status, error, milliseconds } = of;
  const took = count(milliseconds);
  const label =
    status === null
      ? t('webhooks.noAnswer', { reason: reason(error), took })
      : t('webhooks.answered', { status: String(status), took });
  return <Dot tone={isDelivered(of) ? 'good' : 'bad'} label={label} />;
}

/** Errors that have a message; any other is shown by its name. */
const REASONS: Readonly<Record<string, PlainKey>> = {
  'the address has no address': 'webhooks.reasons.noAddress',
  CERT_HAS_EXPIRED: 'webhooks.reasons.certificateExpired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'webhooks.reasons.selfSigned',
  ERR_TLS_CERT_ALTNAME_INVALID: 'webhooks.reasons.otherName',
  ECONNREFUSED: 'webhooks.reasons.refused',
  ECONNRESET: 'webhooks.reasons.reset',
  ENOTFOUND: 'webhooks.reasons.notFound',
  ETIMEDOUT: 'webhooks.reasons.timedOut',
  'no answer within 15 s': 'webhooks.reasons.noAnswer',
  'the address leads to an address that is not public': 'webhooks.reasons.notPublic',
};

function reason(error: string | null): string {
  const key = REASONS[error ?? ''];
  return key === undefined ? (error ?? t('common.unknown')) : t(key);
}

/** The first KiB of the response. Scrollable, so it is focusable. */
export function AttemptResponse({ of: { answer } }: { of: WebhookTry }) {
  if (answer === null || answer === '')
    return (
      <Text size="xs" c="dimmed">
        {t('webhooks.noText')}
      </Text>
    );
  return (
    <Code block tabIndex={0} mah={180} className={textClasses.breakable}>
      {answer}
    </Code>
  );
}
