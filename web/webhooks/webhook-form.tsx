import { Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { EventFilter, Webhook } from '../api/operations.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { fieldProblems } from '../format/problem.ts';
import { DialogFoot, showSaved } from '../parts/save-bar.tsx';
import { t } from '../i18n/translate.ts';
import { EventsField } from './events-field.tsx';
import type { Verifier } from './webhook-secret.tsx';
import { webhooksQuery } from './webhook-queries.ts';

const DESCRIPTION_LIMIT = 200;
const SIGNATURES = ['v1', 'v1a'] as const;

interface Draft {
  url: string;
  description: string;
  events: EventFilter[];
  signature: Webhook['signature'];
}

/** Creates a webhook and passes its secret on. */
export function NewWebhookForm({ onMade, close }: { onMade: (verifier: Verifier) => void; close: () => void }) {
  const client = useQueryClient();
  return (
    <WebhookForm
      action={t('webhooks.make')}
      close={close}
      initial={{ url: '', description: '', events: ['*'], signature: 'v1' }}
      canChooseSignature
      act={async (draft, signal) => {
        const made = await call('venom/create-webhook', draft, { signal });
        onMade(made);
        await client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
      }}
    />
  );
}

export function EditWebhookForm({ webhook, close }: { webhook: Webhook; close: () => void }) {
  const client = useQueryClient();
  const { webhook_id, url, description, events, signature } = webhook;
  return (
    <WebhookForm
      close={close}
      initial={{ url, description, events, signature }}
      act={async (draft, signal) => {
        const change = { url: draft.url, description: draft.description, events: draft.events };
        await call('venom/update-webhook', { webhook_id, ...change }, { signal });
        showSaved();
        close();
        await client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
      }}
    />
  );
}

function WebhookForm({
  initial,
  action,
  close,
  act,
  canChooseSignature = false,
}: {
  initial: Draft;
  /** Default is to save. */
  action?: string;
  close: () => void;
  act: (draft: Draft, signal: AbortSignal) => Promise<unknown>;
  canChooseSignature?: boolean;
}) {
  const form = useForm<Draft>({
    initialValues: initial,
    validate: {
      url: (value) => (value.trim() === '' ? t('webhooks.urlMissing') : null),
      events: (value) => (value.length === 0 ? t('webhooks.eventsMissing') : null),
    },
  });
  const saving = useCancellableMutation({
    act: (draft: Draft, signal) => act({ ...draft, url: draft.url.trim() }, signal),
    onError: (error) => form.setErrors(fieldProblems(error)),
  });
  return (
    <form onSubmit={form.onSubmit((draft) => saving.mutate(draft))} noValidate>
      <Stack gap="md">
        <TextInput
          label={t('webhooks.url')}
          description={t('webhooks.urlNote')}
          placeholder={t('webhooks.urlExample')}
          type="url"
          inputMode="url"
          autoComplete="off"
          required
          data-autofocus
          {...form.getInputProps('url')}
        />
        <TextInput
          label={t('webhooks.description')}
          description={t('webhooks.descriptionNote')}
          maxLength={DESCRIPTION_LIMIT}
          {...form.getInputProps('description')}
        />
        <EventsField
          value={form.values.events}
          onChange={(events) => form.setFieldValue('events', events)}
          error={form.errors['events']}
        />
        {canChooseSignature && (
          <Radio.Group label={t('webhooks.signature')} {...form.getInputProps('signature')}>
            <Signatures />
          </Radio.Group>
        )}
        <DialogFoot acting={saving} close={close} action={action} />
      </Stack>
    </form>
  );
}

function Signatures() {
  return (
    <Stack gap={8} mt={6}>
      {SIGNATURES.map((one) => (
        <Radio
          key={one}
          value={one}
          label={t(`webhooks.signatures.${one}.name`)}
          description={t(`webhooks.signatures.${one}.note`)}
        />
      ))}
    </Stack>
  );
}
