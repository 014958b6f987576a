import { Code, Text } from '@mantine/core';
import type { Webhook, WebhookTry } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import textClasses from '../parts/text.module.css';
import { Dot } from '../parts/status.tsx';
import { words } from '../words/words.ts';

type Attempt = NonNullable<Webhook['last_try']>;

function isDelivered({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The outcome of an attempt, in a line. */
export function AttemptOutcome({ of }: { of: Attempt }) {
  const { status, error, milliseconds } = of;
  const took = count(milliseconds);
  const said =
    status === null ? words.webhooks.noAnswer(reason(error), took) : words.webhooks.answered(String(status), took);
  return <Dot tone={isDelivered(of) ? 'good' : 'bad'} label={said} />;
}

/** An error without a text is shown by its code. */
function reason(error: string | null): string {
  return words.webhooks.reasons[error ?? ''] ?? error ?? words.unknown;
}

/** The first KiB of the response. Scrollable, so it is focusable. */
export function AttemptResponse({ of: { answer } }: { of: WebhookTry }) {
  if (answer === null || answer === '')
    return (
      <Text size="xs" c="dimmed">
        {words.webhooks.noText}
      </Text>
    );
  return (
    <Code block tabIndex={0} mah={180} className={textClasses.breakable}>
      {answer}
    </Code>
  );
}
