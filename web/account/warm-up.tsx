import { Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { sendWindowQueryOf } from '../api/queries.ts';
import { readWarmUp, type WarmUpToday } from '../api/warm-up.ts';
import { count } from '../format/numbers.ts';
import { dateName } from '../format/time.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showToast } from '../parts/notify.ts';
import { Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import { useChosenAccountId } from './chosen-account.ts';
import classes from './warm-up.module.css';

const HIGHEST_PX = 64;

/** The progress of a new number's warm-up, with a button that ends it. Renders nothing without a warm-up. */
export function WarmUp() {
  const client = useQueryClient();
  const accountId = useChosenAccountId();
  const { data: rests } = useQuery(sendWindowQueryOf(accountId));
  const warmUp = rests && readWarmUp(rests);
  if (!warmUp) return null;
  const { day, caps, cap, sent, endsOn, gap } = warmUp;
  const end = async (signal: AbortSignal) => {
    const body = { account_id: accountId, warm_up: false };
    client.setQueryData(sendWindowQueryOf(accountId).queryKey, await call('venom/update-account', body, { signal }));
    showToast(t('warmUp.ended'));
  };
  return (
    <Section title={t('warmUp.title')}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {t('warmUp.today', { day: count(day), days: count(caps.length), cap: count(cap), sent: count(sent) })}
        </Text>
        <Days {...warmUp} />
        <Text size="sm" c="dimmed">
          {t('warmUp.about', { end: dateName(endsOn) })}
          {gap.max > 0 && ` ${t('warmUp.pace', { min: count(gap.min), max: count(gap.max) })}`}
        </Text>
        <ConfirmButton title={t('warmUp.endTitle')} action={t('warmUp.end')} act={end}>
          {t('warmUp.endNote')}
        </ConfirmButton>
      </Stack>
    </Section>
  );
}

/** A bar for each day: past, today and future. Heights grow with the square root of the cap, which grows thirtyfold. */
function Days({ day, caps }: WarmUpToday) {
  const most = Math.max(...caps);
  const label = t('warmUp.picture', {
    first: count(caps[0] ?? 0),
    most: count(most),
    days: count(caps.length),
    day: count(day),
  });
  return (
    <div className={classes.days} role="img" aria-label={label}>
      {caps.map((cap, index) => (
        <div
          key={cap}
          className={classes.day}
          data-phase={index + 1 < day ? 'over' : index + 1 === day ? 'today' : 'ahead'}
        >
          <span className={classes.bar} style={{ height: Math.round(Math.sqrt(cap / most) * HIGHEST_PX) }} />
          <span className={classes.cap}>{count(cap)}</span>
        </div>
      ))}
    </div>
  );
}
