import { Alert, Button, Code, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { call } from '../api/call.ts';
import { registerPasskey } from '../api/passkey.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { ErrorAlert, ErrorText } from '../parts/error-alert.tsx';
import { PartSkeleton } from '../parts/page.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import textClasses from '../parts/text.module.css';
import { words } from '../words/words.ts';

interface DialogProps {
  opened: boolean;
  close: () => void;
  onAdded: () => unknown;
}

/** Adds an authenticator app: QR code or key, then its first code, then the recovery codes. */
export function AddAppDialog(props: DialogProps) {
  return (
    <FactorDialog {...props} title={words.factors.addApp}>
      {(finish) => <AppForm finish={finish} />}
    </FactorDialog>
  );
}

export function AddPasskeyDialog(props: DialogProps) {
  return (
    <FactorDialog {...props} title={words.factors.addPasskey}>
      {(finish) => <PasskeyForm finish={finish} />}
    </FactorDialog>
  );
}

export function RenewCodesDialog(props: DialogProps) {
  return (
    <FactorDialog {...props} title={words.factors.renew}>
      {(finish) => <RenewForm finish={finish} />}
    </FactorDialog>
  );
}

type Finish = (codes: readonly string[]) => void;

/** A form, then the recovery codes, if any. They are shown once, so only their button closes the dialog. */
function FactorDialog({
  opened,
  close,
  onAdded,
  title,
  children,
}: DialogProps & { title: string; children: (finish: Finish) => ReactNode }) {
  const [codes, setCodes] = useState<readonly string[]>([]);
  const [isShown, shown] = useDisclosure(false);
  const finish = (given: readonly string[]) => {
    onAdded();
    if (given.length === 0) return close();
    setCodes(given);
    return shown.open();
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={isShown ? words.factors.codes : title}
      closeOnEscape={!isShown}
      closeOnClickOutside={!isShown}
      withCloseButton={!isShown}
      onExitTransitionEnd={() => {
        shown.close();
        setCodes([]);
      }}
    >
      {isShown ? <RecoveryCodes codes={codes} close={close} /> : children(finish)}
    </Modal>
  );
}

function RecoveryCodes({ codes, close }: { codes: readonly string[]; close: () => void }) {
  return (
    <Stack gap="sm">
      <Alert variant="default">{words.factors.codesOnce}</Alert>
      <Stack gap={6} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {codes.map((code) => (
          <li key={code}>
            <Code>{code}</Code>
          </li>
        ))}
      </Stack>
      <Group justify="flex-end">
        <CopyButton value={codes.join('\n')} label={words.factors.copyCodes} />
        <Button size="xs" onClick={close}>
          {words.done}
        </Button>
      </Group>
    </Stack>
  );
}

function AppForm({ finish }: { finish: Finish }) {
  // A new key for each opening: the service creates another secret.
  const [opening] = useState(() => crypto.getRandomValues(new Uint32Array(1))[0]);
  const key = useQuery({
    queryKey: ['new-app', opening],
    queryFn: ({ signal }) => call('user/add_totp', {}, { signal }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const [code, setCode] = useState('');
  const confirming = useCancellableMutation({
    act: (_nothing: void, signal) => call('user/confirm_totp', { code }, { signal }),
    onSuccess: ({ recovery_codes }) => finish(recovery_codes),
  });
  if (key.isError) return <ErrorAlert error={key.error} retry={() => void key.refetch()} />;
  if (!key.data) return <PartSkeleton height={320} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code !== '') confirming.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">{words.factors.scan}</Text>
        <Group justify="center">
          <QrCode text={key.data.uri} label={words.factors.qr} />
        </Group>
        <Text size="sm">{words.factors.typeKey}</Text>
        <Code block className={textClasses.breakable}>
          {key.data.secret}
        </Code>
        <TextInput
          label={words.factors.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          required
          data-autofocus
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <ErrorText error={confirming.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={confirming.isPending}>
            {words.factors.confirmApp}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function PasskeyForm({ finish }: { finish: Finish }) {
  const [name, setName] = useState('');
  const adding = useCancellableMutation({ act: () => registerPasskey(name.trim()), onSuccess: finish });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') adding.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">{words.factors.passkeyNote}</Text>
        <TextInput
          label={words.settings.keyName}
          placeholder={words.factors.passkeyExample}
          maxLength={100}
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <ErrorText error={adding.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={adding.isPending}>
            {words.factors.addPasskey}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function RenewForm({ finish }: { finish: Finish }) {
  const renewing = useCancellableMutation({
    act: (_nothing: void, signal) => call('user/renew_recovery_codes', {}, { signal }),
    onSuccess: ({ recovery_codes }) => finish(recovery_codes),
  });
  return (
    <Stack gap="sm">
      <Text size="sm">{words.factors.renewNote}</Text>
      <ErrorText error={renewing.error} />
      <Group justify="flex-end">
        <Button data-autofocus loading={renewing.isPending} onClick={() => renewing.mutate()}>
          {words.factors.renew}
        </Button>
      </Group>
    </Stack>
  );
}
