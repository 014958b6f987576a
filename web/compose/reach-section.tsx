import { Button, Checkbox, Group, Select, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { campaignQuery } from '../api/queries.ts';
import boxClasses from '../parts/box.module.css';
import { Section } from '../parts/page.tsx';
import { percentSuffix } from '../format/numbers.ts';
import { WholeNumber } from '../parts/whole-number.tsx';
import { t } from '../i18n/translate.ts';
import { membersOf } from './audience.ts';
import type { Draft } from './draft.ts';
import { GroupsSection } from './groups-section.tsx';
import { PIN_FORS, type FollowUp } from './reach.ts';

const WAIT_MS = 300;
const SHOWN = 20;

/** To which groups a post goes, and how it reaches their members. */
export function AudienceSections({ draft, update }: { draft: Draft; update: (next: Partial<Draft>) => void }) {
  return (
    <>
      <GroupsSection draft={draft} update={update} />
      <ReachSection draft={draft} update={update} />
    </>
  );
}

/** Mentions everybody, pins the post, or replies to an earlier campaign. */
export function ReachSection({ draft, update }: { draft: Draft; update: (next: Partial<Draft>) => void }) {
  const { groups, mentionAll, pinFor, replyTo, followUp } = draft;
  const hasChannel = groups.some((group) => group.kind === 'channel');
  return (
    <Section title={t('reach.title')}>
      <Stack gap="sm">
        <Checkbox
          label={t('reach.mentionAll')}
          description={t('reach.mentionAllHint', { members: membersOf(groups) })}
          error={mentionAll && hasChannel && t('reach.noChannels')}
          checked={mentionAll}
          onChange={(event) => update({ mentionAll: event.currentTarget.checked })}
        />
        <Select
          label={t('reach.pin')}
          description={t('reach.pinHint')}
          error={pinFor !== null && hasChannel && t('reach.noChannels')}
          data={PIN_FORS.map((value) => ({ value, label: t(`reach.pinFor.${value}`) }))}
          placeholder={t('reach.notPinned')}
          value={pinFor}
          onChange={(value) => update({ pinFor: PIN_FORS.find((one) => one === value) ?? null })}
          clearable
        />
        <ReplySelect
          chosen={replyTo?.campaign_id ?? null}
          choose={(id) => update({ replyTo: id === null ? null : { campaign_id: id, run_id: null } })}
        />
        {followUp && <FollowUpField followUp={followUp} onChange={(next) => update({ followUp: next })} />}
      </Stack>
    </Section>
  );
}

/** Which groups a follow-up leaves out. It begins on the page of the earlier campaign. */
function FollowUpField({ followUp, onChange }: { followUp: FollowUp; onChange: (next: FollowUp | null) => void }) {
  const { data: followed } = useQuery(campaignQuery(followUp.campaign_id));
  return (
    <Group align="flex-end" gap="xs">
      <WholeNumber
        className={boxClasses.grow}
        label={t('followUp.field', { name: followed?.name ?? '…' })}
        description={t('followUp.fieldHint')}
        suffix={percentSuffix()}
        min={1}
        max={100}
        value={followUp.under_percent}
        onChange={(value) => {
          if (Number(value) >= 1) onChange({ ...followUp, under_percent: Number(value) });
        }}
      />
      <Button variant="default" onClick={() => onChange(null)}>
        {t('followUp.remove')}
      </Button>
    </Group>
  );
}

/** Picks an earlier campaign by a part of its name. */
function ReplySelect({ chosen, choose }: { chosen: string | null; choose: (campaignId: string | null) => void }) {
  const current = useQuery({ ...campaignQuery(chosen ?? ''), enabled: chosen !== null });
  const [typed, setTyped] = useState('');
  // The field then holds the name of the chosen campaign, which is not a search.
  const [search] = useDebouncedValue(typed === current.data?.name ? '' : typed, WAIT_MS);
  const found = useQuery({
    queryKey: ['campaigns', 'to reply', search],
    queryFn: ({ signal }) => call('venom/list-campaigns', { search, limit: SHOWN }, { signal }),
    placeholderData: keepPreviousData,
  });
  const listed = (found.data?.campaigns ?? []).map((one) => ({ value: one.campaign_id, label: one.name }));
  const isListed = listed.some(({ value }) => value === chosen);
  const own = chosen !== null && !isListed ? [{ value: chosen, label: current.data?.name ?? '' }] : [];
  return (
    <Select
      label={t('reach.reply')}
      description={t('reach.replyHint')}
      placeholder={t('reach.noReply')}
      data={[...own, ...listed]}
      value={chosen}
      onChange={choose}
      searchable
      clearable
      onSearchChange={setTyped}
      // The service filters.
      filter={({ options }) => options}
      nothingFoundMessage={t('reach.noCampaign')}
      error={found.isError ? t('problems.unexpected') : undefined}
    />
  );
}
