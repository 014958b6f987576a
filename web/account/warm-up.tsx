import { Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { sendWindowQuery } from '../api/queries.ts';
import { readWarmUp, type WarmUpToday } from '../api/warm-up.ts';
import { count } from '../format/numbers.ts';
import { dateName } from '../format/time.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { showToast } from '../parts/notify.ts';
import { Section } from '../parts/page.tsx';
import { words } from '../words/words.ts';
import classes from './warm-up.module.css';

const HIGHEST_PX = 64;

/** The progress of a new number's warm-up, with a button that ends it. Renders nothing without a warm-up. */
export function WarmUp() {
  const client = useQueryClient();
  const { data: rests } = useQuery(sendWindowQuery);
  const warmUp = rests && readWarmUp(rests);
  if (!warmUp) return null;
  const { day, caps, cap, sent, endsOn } = warmUp;
  const end = async (signal: AbortSignal) => {
    client.setQueryData(sendWindowQuery.queryKey, await call('venom/update-account', { warm_up: false }, { signal }));
    showToast(words.warmUp.ended);
  };
  return (
    <Section title={words.warmUp.title}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{words.warmUp.today(count(day), count(caps.length), count(cap), count(sent))}</Text>
        <Days {...warmUp} />
        <Text size="sm" c="dimmed">
          {words.warmUp.about(dateName(endsOn))}
        </Text>
        <ConfirmButton title={words.warmUp.endTitle} action={words.warmUp.end} act={end}>
          {words.warmUp.endNote}
        </ConfirmButton>
      </Stack>
    </Section>
  );
}

/** A bar for each day: past, today and future. Heights grow with the square root of the cap, which grows thirtyfold. */
function Days({ day, caps }: WarmUpToday) {
  const most = Math.max(...caps);
  const label = words.warmUp.picture(count(caps[0] ?? 0), count(most), count(caps.length), count(day));
  return (
    <div className={classes.days} role="img" aria-label={label}>
      {caps.map((cap, index) => (
        <div
          key={cap}
          className={classes.day}
          data-is={index + 1 < day ? 'over' : index + 1 === day ? 'today' : 'ahead'}
        >
          <span className={classes.bar} style={{ height: Math.round(Math.sqrt(cap / most) * HIGHEST_PX) }} />
          <span className={classes.cap}>{count(cap)}</span>
        </div>
      ))}
    </div>
  );
}
