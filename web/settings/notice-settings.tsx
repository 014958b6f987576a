import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call } from '../api/call.ts';
import { noticeSettingsQuery, noticesQuery } from '../api/notices.ts';
import type { Data, NoticeKind } from '../api/operations.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { enablePush, disablePush, readPushState } from '../notices/push.ts';
import { DataTable } from '../parts/data-table.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { t } from '../i18n/translate.ts';

type Settings = Data<'user/get_notice_settings'>;
type Channel = 'bell' | 'browser' | 'email';
interface Choice {
  kind: NoticeKind;
  way: Channel;
  isOn: boolean;
}

/** Target of links in mails and notices. */
const ANCHOR = 'notices';

/** Which notices the user gets, by which channel. */
export function NoticeSettings({ isAdmin }: { isAdmin: boolean }) {
  const settings = useQuery(noticeSettingsQuery);
  const anchor = useRef<HTMLDivElement>(null);
  const isThere = settings.data !== undefined;
  useEffect(() => {
    if (isThere && location.hash === `#${ANCHOR}`) anchor.current?.scrollIntoView();
  }, [isThere]);
  return (
    <div ref={anchor} id={ANCHOR}>
      <Section title={t('notices.title')}>
        <QueryStatus of={settings} rows={4} />
        {settings.data && <Choices settings={settings.data} isAdmin={isAdmin} />}
        {settings.data && <ThisBrowser publicKey={settings.data.push_public_key} />}
      </Section>
    </div>
  );
}

function Choices({ settings, isAdmin }: { settings: Settings; isAdmin: boolean }) {
  const client = useQueryClient();
  const choosing = useCancellableMutation({
    act: ({ kind, way, isOn }: Choice, signal) =>
      call('user/update_notice_settings', { kinds: [{ kind, [way]: isOn }] }, { signal }),
    // Optimistic update: several can be chosen one after the other.
    onMutate: (choice) =>
      client.setQueryData(
        noticeSettingsQuery.queryKey,
        (kept) => kept && { ...kept, kinds: chosen(kept.kinds, choice) },
      ),
    onError: () => client.invalidateQueries({ queryKey: noticeSettingsQuery.queryKey }),
    onSuccess: () => client.invalidateQueries({ queryKey: noticesQuery.queryKey }),
  });
  const ways: readonly Channel[] = settings.has_mail ? ['bell', 'browser', 'email'] : ['bell', 'browser'];
  const kinds = settings.kinds.filter(({ kind }) => isAdmin || kind !== 'backup_old');
  return (
    <>
      <DataTable
        label={t('notices.title')}
        rows={kinds}
        rowKey={(row) => row.kind}
        keepsColumns
        columns={[
          { header: t('notices.kind'), renderCell: ({ kind }) => t(`notices.kinds.${kind}`) },
          ...ways.map((way) => ({
            header: t(`notices.ways.${way}`),
            nowrap: true,
            renderCell: (row: Settings['kinds'][number]) => (
              <Checkbox
                aria-label={`${t(`notices.kinds.${row.kind}`)}: ${t(`notices.ways.${way}`)}`}
                checked={row[way]}
                onChange={({ currentTarget }) => choosing.mutate({ kind: row.kind, way, isOn: currentTarget.checked })}
              />
            ),
          })),
        ]}
      />
      <ErrorText error={choosing.error} />
      <Text size="sm" c="dimmed" mt="xs">
        {settings.has_mail ? `${t('notices.note')} ${t('notices.mailNote')}` : t('notices.note')}
      </Text>
    </>
  );
}

function chosen(kinds: Settings['kinds'], { kind, way, isOn }: Choice): Settings['kinds'] {
  return kinds.map((row) => (row.kind === kind ? { ...row, [way]: isOn } : row));
}

/** Web Push in this browser. Permission is asked for only by the button. */
function ThisBrowser({ publicKey }: { publicKey: string }) {
  const client = useQueryClient();
  const queryKey = ['push'];
  const { data: state } = useQuery({ queryKey, queryFn: readPushState });
  const turning = useCancellableMutation({
    act: async (isOn: boolean) => {
      if (isOn) return enablePush(publicKey);
      await disablePush();
      return readPushState();
    },
    onSuccess: (next) => client.setQueryData(queryKey, next),
  });
  if (state === undefined) return null;
  const canTurn = state === 'on' || state === 'off';
  return (
    <Group mt="md" gap="sm">
      <Text size="sm" role="status">
        {t(`notices.push.${state}`)}
      </Text>
      {canTurn && (
        <Button size="xs" variant="default" loading={turning.isPending} onClick={() => turning.mutate(state === 'off')}>
          {state === 'on' ? t('notices.turnOff') : t('notices.turnOn')}
        </Button>
      )}
      <ErrorText error={turning.error} />
    </Group>
  );
}
