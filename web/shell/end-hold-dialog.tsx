import { Button, Group, Modal, NativeSelect, PasswordInput, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import type { HoldChoice, QueuedCampaigns } from '../api/operations.ts';
import { accountQuery } from '../api/queries.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { count } from '../format/numbers.ts';
import { fieldProblems } from '../format/problem.ts';
import { FormErrorText } from '../parts/error-alert.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { showToast } from '../parts/notify.ts';
import textClasses from '../parts/text.module.css';
import { QueryStatus } from '../parts/query-status.tsx';
import { words } from '../words/words.ts';
import classes from './end-hold-dialog.module.css';

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
    <Modal opened onClose={close} title={words.held.dialog} size="lg">
      <QueryStatus of={queued} rows={4} />
      {queued.isSuccess && <Choices {...queued.data} close={close} />}
    </Modal>
  );
}

function Choices({ campaigns, left_out: leftOut, close }: QueuedCampaigns & { close: () => void }) {
  const client = useQueryClient();
  const [others, setOthers] = useState<HoldChoice>();
  const [own, setOwn] = useState<Readonly<Record<string, HoldChoice | undefined>>>({});
  const [password, setPassword] = useState('');
  const ending = useCancellableMutation({
    act: (choices: Array<{ campaign_id: string; choice: HoldChoice }>, signal) =>
      // Campaigns queued since then are not decided unseen.
      call('admin/release_ledger', { choices, password, ...(leftOut > 0 && { others }) }, { signal }),
    onSuccess: async () => {
      showToast(words.held.released);
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
        {campaigns.length === 0 ? (
          <Text size="sm">{words.held.nothing}</Text>
        ) : (
          <>
            <About />
            <ChoiceSelect label={words.held.forAll} value={others} choose={setOthers} isNamed />
            <ul className={classes.campaigns}>
              {campaigns.map((one) => (
                <li key={one.campaign_id} className={classes.campaign}>
                  <Campaign of={one} />
                  <ChoiceSelect
                    label={words.held.choiceOf(one.name)}
                    value={own[one.campaign_id] ?? others}
                    choose={(choice) => setOwn({ ...own, [one.campaign_id]: choice })}
                  />
                </li>
              ))}
            </ul>
          </>
        )}
        {leftOut > 0 && <Text size="sm">{words.held.more(count(leftOut))}</Text>}
        <PasswordInput
          label={words.users.ownPassword}
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fieldProblems(ending.error)['password']}
        />
        <FormErrorText error={ending.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            {words.back}
          </Button>
          <Button type="submit" disabled={!isChosen} loading={ending.isPending}>
            {words.held.release}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function About() {
  return (
    <dl className={classes.about}>
      {CHOICES.map((choice) => (
        <div key={choice}>
          <dt>{words.held.choices[choice]}</dt>
          <dd>{words.held.about[choice]}</dd>
        </div>
      ))}
    </dl>
  );
}

function Campaign({ of: one }: { of: QueuedCampaigns['campaigns'][number] }) {
  return (
    <div>
      <Text size="sm" fw={550} className={textClasses.breakable}>
        {one.name}
      </Text>
      <Text size="sm" c="dimmed" className={textClasses.breakable}>
        {one.user_name} · {words.held.posts(one.queued, count(one.queued))}
      </Text>
      <Text size="sm" c="dimmed">
        {words.held.lastSent}{' '}
        {one.last_sent_at === null ? words.settings.never : <RelativeTime at={one.last_sent_at} />}
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
        { value: '', label: words.held.choose },
        ...CHOICES.map((one) => ({ value: one, label: words.held.choices[one] })),
      ]}
    />
  );
}
