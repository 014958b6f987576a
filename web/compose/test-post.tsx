import { Button, Group as Row, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call, generateIdempotencyKey } from '../api/call.ts';
import type { Group } from '../api/operations.ts';
import { sessionQuery } from '../api/session.ts';
import { useMay } from '../api/workspace.ts';
import { useMustAsk } from '../approvals/approval-queries.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { shorten } from '../format/shorten.ts';
import { ErrorText } from '../parts/error-alert.tsx';
import { Icon } from '../parts/icons.tsx';
import { t } from '../i18n/translate.ts';
import type { Draft } from './draft.ts';
import { GroupSelect, GROUPS_SHOWN } from '../parts/group-select.tsx';
import { sendDraft } from './send-draft.ts';

const NAME_LIMIT = 200;

interface TestPostProps {
  draft: Draft;
  /** The name of the future campaign. */
  name: string;
  file: File | null;
  /** Whether there is a text to send. */
  isWritten: boolean;
}

/** Sends the draft to one group first, as a campaign that is in no list. The draft stays. */
export function TestPostButton(tested: TestPostProps) {
  const [isOpen, opened] = useDisclosure(false);
  return (
    <>
      <Button variant="default" data-icon-on-phones leftSection={<Icon name="send" size={16} />} onClick={opened.open}>
        {t('compose.test')}
      </Button>
      <Modal opened={isOpen} onClose={opened.close} title={t('compose.testTitle')}>
        <TestForm close={opened.close} {...tested} />
      </Modal>
    </>
  );
}

function TestForm({ draft, name, file, isWritten, close }: TestPostProps & { close: () => void }) {
  const client = useQueryClient();
  const [, go] = useLocation();
  const refusal = useRefusedTest();
  const last = useLastTestGroup();
  /** Undefined until another one than the last is chosen; null without any. */
  const [chosen, setChosen] = useState<Group | null>();
  const group = (chosen === undefined ? last.group : chosen) ?? undefined;
  // The same key for the same test: pressing again after a lost response must not send twice.
  const [key, setKey] = useState(() => generateIdempotencyKey());
  const testName = shorten(t('compose.testName', { name }), NAME_LIMIT);
  const sending = useCancellableMutation({
    act: (to: Group, signal) =>
      sendDraft({ ...draft, groups: [to], isScheduled: false, idempotencyKey: key }, testName, file, signal, {
        isTest: true,
      }),
    onSuccess: () => {
      if (group) last.keep(group);
      return client.invalidateQueries({ queryKey: ['campaigns'] });
    },
  });
  const choose = (picked: Group | undefined) => {
    setChosen(picked ?? null);
    setKey(generateIdempotencyKey());
  };
  if (sending.isSuccess)
    return (
      <Stack gap="sm">
        <Text size="sm" role="status">
          {t('compose.testSent', { group: group?.group_name ?? '' })}
        </Text>
        <Row justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => go(`/campaigns/${sending.data}`)}>
            {t('compose.testSee')}
          </Button>
          <Button data-autofocus onClick={close}>
            {t('common.done')}
          </Button>
        </Row>
      </Stack>
    );
  if (refusal !== undefined) return <Text size="sm">{refusal}</Text>;
  return (
    <Stack gap="sm">
      <Text size="sm">{isWritten ? t('compose.testNote') : t('compose.testNoText')}</Text>
      <TestGroup chosen={group} choose={choose} />
      {group && isWritten && (
        <Text size="sm" c="dimmed">
          {t('compose.testReaches', { group: group.group_name, members: group.participants })}
        </Text>
      )}
      <ErrorText error={sending.error} />
      <Row justify="flex-end" gap="xs">
        <Button variant="default" onClick={close}>
          {t('common.back')}
        </Button>
        <Button
          disabled={!group || !isWritten}
          loading={sending.isPending}
          onClick={() => group && sending.mutate(group)}
        >
          {t('compose.testSend')}
        </Button>
      </Row>
    </Stack>
  );
}

/** Returns why the user may send no test; undefined: they may. */
function useRefusedTest(): string | undefined {
  const mustAsk = useMustAsk(1) === true;
  const maySend = useMay('manager') !== false;
  if (mustAsk) return t('compose.testNeedsApproval');
  return maySend ? undefined : t('compose.testNeedsManager');
}

function TestGroup(picked: { chosen: Group | undefined; choose: (group: Group | undefined) => void }) {
  const [label, placeholder] = [t('compose.testGroup'), t('compose.testGroupHint')];
  return <GroupSelect {...picked} label={label} placeholder={placeholder} data-autofocus />;
}

const STORAGE_KEY = 'campanile-last-test-group';

/** The group of the user's last test in this browser, if it can still be posted to. */
function useLastTestGroup(): { group: Group | undefined; keep: (group: Group) => void } {
  const user = useQuery(sessionQuery).data?.user_info.user_id;
  const [stored] = useState(() => localStorage.getItem(STORAGE_KEY));
  const last = stored === null ? undefined : (JSON.parse(stored) as { user: number; id: number; name: string });
  const found = useQuery({
    queryKey: ['groups', 'last test', last?.id],
    queryFn: ({ signal }) => call('venom/list-groups', { search: last?.name ?? '', limit: GROUPS_SHOWN }, { signal }),
    enabled: last !== undefined && last.user === user,
  });
  return {
    group: found.data?.groups.find((one) => one.group_metadata_id === last?.id && one.can_send),
    keep: ({ group_metadata_id: id, group_name: name }) =>
      localStorage.setItem(STORAGE_KEY, JSON.stringify({ user, id, name })),
  };
}
