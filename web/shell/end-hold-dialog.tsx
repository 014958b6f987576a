import { Modal, NativeSelect, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { call } from '../api/call.ts';
import type { HoldChoice, QueuedCampaigns } from '../api/operations.ts';
import { accountQuery } from '../api/queries.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { count } from '../format/numbers.ts';
import { fieldProblems } from '../format/problem.ts';
import { exactTime, shortTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { showToast } from '../parts/notify.ts';
import { DialogFoot } from '../parts/save-bar.tsx';
import textClasses from '../parts/text.module.css';
import { QueryStatus } from '../parts/query-status.tsx';
import { t } from '../i18n/translate.ts';
import classes from './end-hold-dialog.module.css';

type QueuedCampaign = QueuedCampaigns['campaigns'][number];

const CHOICES = ['send', 'unknown'] as const;
const QUEUED = ['queued'];

/** Ends the hold: an administrator chooses for each campaign what to do with its queued posts. */
export default function EndHoldDialog({ close }: { close: () => void }) {
  const queued = useQuery({
    queryKey: QUEUED,
    queryFn: ({ signal }) => call('admin/list_queued', {}, { signal }),
    gcTime: 0,
  });
  return (
    <Modal opened onClose={close} title={t('held.dialog')} size="lg">
      <QueryStatus of={queued} rows={4} />
      {queued.isSuccess && <Choices {...queued.data} close={close} />}
    </Modal>
  );
}

function Choices({ close, ...queued }: QueuedCampaigns & { close: () => void }) {
  const { campaigns, left_out: leftOut } = queued;
  const client = useQueryClient();
  const [others, setOthers] = useState<HoldChoice>();
  const [own, setOwn] = useState<Readonly<Record<string, HoldChoice | undefined>>>({});
  const [password, setPassword] = useState('');
  const ending = useCancellableMutation({
    act: (choices: Array<{ campaign_id: string; choice: HoldChoice }>, signal) =>
      // Campaigns queued since then are not decided unseen.
      call('admin/release_ledger', { choices, password, ...(leftOut > 0 && { others }) }, { signal }),
    onSuccess: async () => {
      showToast(t('held.released'));
      await client.invalidateQueries({ queryKey: accountQuery.queryKey });
      close();
    },
    onError: () => client.invalidateQueries({ queryKey: QUEUED }),
  });
  const choices = campaigns.flatMap(({ campaign_id }) => {
    const choice = own[campaign_id] ?? others;
    return choice === undefined ? [] : [{ campaign_id, choice }];
  });
  const isChosen = choices.length === campaigns.length && (leftOut === 0 || others !== undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isChosen && !ending.isPending) ending.mutate(choices);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <AsOf {...queued} />
        {campaigns.length > 0 && (
          <>
            <About />
            <ChoiceSelect label={t('held.forAll')} value={others} choose={setOthers} isNamed />
          </>
        )}
        <Parts
          of={queued}
          renderChoice={({ campaign_id: id, name }) => (
            <ChoiceSelect
              label={t('held.choiceOf', { name })}
              value={own[id] ?? others}
              choose={(choice) => setOwn({ ...own, [id]: choice })}
            />
          )}
        />
        {leftOut > 0 && <Text size="sm">{t('held.more', { campaigns: count(leftOut) })}</Text>}
        <PasswordInput
          label={t('users.ownPassword')}
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fieldProblems(ending.error)['password']}
        />
        <DialogFoot acting={ending} close={close} action={t('held.release')} isReady={isChosen} />
      </Stack>
    </form>
  );
}

function About() {
  return (
    <dl className={classes.about}>
      {CHOICES.map((choice) => (
        <div key={choice}>
          <dt>{t(`held.choices.${choice}`)}</dt>
          <dd>{t(`held.about.${choice}`)}</dd>
        </div>
      ))}
    </dl>
  );
}

function AsOf({ served_at: servedAt }: Pick<QueuedCampaigns, 'served_at'>) {
  const zone = useZone();
  if (servedAt === null) return null;
  return <Text size="sm">{t('held.asOf', { time: exactTime(servedAt, zone) })}</Text>;
}

/** What had begun before the backup, what fell due since, and what was made since the restore. */
function Parts({
  of: { campaigns, begun, fell_due: fellDue, made_since: madeSince },
  renderChoice,
}: {
  of: Omit<QueuedCampaigns, 'reason'>;
  renderChoice: (campaign: QueuedCampaign) => ReactNode;
}) {
  const zone = useZone();
  const list = (some: readonly QueuedCampaign[]) => (
    <ul className={classes.campaigns}>
      {some.map((one) => (
        <li key={one.campaign_id} className={classes.campaign}>
          <Campaign of={one} />
          {renderChoice(one)}
        </li>
      ))}
    </ul>
  );
  return (
    <>
      <Part title={t('held.begun')} of={begun}>
        <Text size="sm">{t('held.aboutBegun')}</Text>
        {list(campaigns.filter((one) => one.begun > 0))}
      </Part>
      <Part title={t('held.fellDue')} of={fellDue}>
        <Text size="sm">
          {fellDue.since !== null && t('held.firstDue', { time: exactTime(fellDue.since, zone) })}{' '}
          {fellDue.late_runs > 0 &&
            t('held.late', { runs: fellDue.late_runs, posts: fellDue.late_posts, page: t('unsent.title') })}
        </Text>
        {list(campaigns.filter((one) => one.begun === 0))}
      </Part>
      <Part title={t('held.madeSince')} of={madeSince} figures={t('held.campaigns', madeSince)}>
        <Text size="sm">
          {t('held.aboutMade')} {madeSince.late_runs > 0 && t('held.lateMade', { runs: madeSince.late_runs })}
        </Text>
      </Part>
    </>
  );
}

/** A heading with the figures of this part, and what is said of it unless there is nothing. */
function Part({
  title,
  of,
  figures = t('held.figures', of),
  children,
}: {
  title: string;
  of: QueuedCampaigns['begun'];
  figures?: string;
  children: ReactNode;
}) {
  return (
    <section>
      <Title order={3} size="h5">
        {title}
      </Title>
      <Text size="sm" fw={550}>
        {of.campaigns === 0 ? t('held.none') : figures}
      </Text>
      {of.campaigns > 0 && children}
    </section>
  );
}

function Campaign({ of: one }: { of: QueuedCampaign }) {
  const zone = useZone();
  return (
    <div>
      <Text size="sm" fw={550} className={textClasses.breakable}>
        {one.name}
      </Text>
      <Text size="sm" c="dimmed" className={textClasses.breakable}>
        {one.user_name}
        {one.begun > 0 && ` · ${t('held.posts', { posts: one.begun })}`}
      </Text>
      {one.is_paused && <Text size="sm">{t('held.paused', { choice: t('held.choices.send') })}</Text>}
      {one.due_since !== null && (
        <Text size="sm" c="dimmed">
          {t('held.dueSince', { posts: one.queued - one.begun, time: shortTime(one.due_since, zone) })}
          {one.late_posts > 0 && ` · ${t('held.latePosts', { posts: one.late_posts })}`}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {t('held.lastSent')} {one.last_sent_at === null ? t('settings.never') : <RelativeTime at={one.last_sent_at} />}
      </Text>
    </div>
  );
}

/** `isNamed`: with a visible label. */
function ChoiceSelect({
  label,
  value,
  choose,
  isNamed = false,
}: {
  label: string;
  value: HoldChoice | undefined;
  choose: (choice: HoldChoice | undefined) => void;
  isNamed?: boolean;
}) {
  return (
    <NativeSelect
      {...(isNamed ? { label } : { 'aria-label': label })}
      value={value ?? ''}
      onChange={(event) => choose(CHOICES.find((one) => one === event.currentTarget.value))}
      data={[
        { value: '', label: t('held.choose') },
        ...CHOICES.map((one) => ({ value: one, label: t(`held.choices.${one}`) })),
      ]}
    />
  );
}
