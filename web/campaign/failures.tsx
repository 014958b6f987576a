import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { GroupRow } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { tellProblem } from '../parts/notify.ts';
import { Section } from '../parts/page.tsx';
import { words } from '../words/words.ts';
import { useControl } from './control.ts';
import { Reason, Reasons } from './reasons.tsx';

/** Why posts failed, each reason once, with the groups it hit and what to do about it. */
export function Failures({
  campaignId,
  groups,
  failed,
}: {
  campaignId: string;
  groups: readonly GroupRow[];
  failed: number;
}) {
  const act = useControl(campaignId);
  const retrying = useMutation({ mutationFn: () => act('retry'), onError: tellProblem });
  const failing = groups.filter((group) => group.failed > 0);
  if (failing.length === 0) return null;
  const reasons = [...Map.groupBy(failing, (group) => group.last_error ?? '')].toSorted(
    ([, one], [, other]) => other.length - one.length,
  );
  return (
    <Section
      title={words.campaign.failures(failed, count(failed))}
      aside={
        <Button size="xs" loading={retrying.isPending} onClick={() => retrying.mutate()}>
          {words.campaign.retry}
        </Button>
      }
    >
      <Reasons>
        {reasons.map(([reason, hit]) => {
          const { what, todo, href, action } = adviceOf(reason);
          return (
            <Reason
              key={reason}
              what={words.campaign.couldNot(hit.length, count(hit.length), what)}
              hit={hit}
              more={todo}
              action={
                href !== undefined && (
                  <Button component={Link} href={href} variant="default" size="xs">
                    {action}
                  </Button>
                )
              }
            />
          );
        })}
      </Reasons>
    </Section>
  );
}

interface Advice {
  what: string;
  todo: string;
  href?: string | undefined;
  action?: string | undefined;
}

/** What is known of a reason; one that nothing is known of is told as it stands. */
function adviceOf(reason: string): Advice {
  const known = words.reasons.find(({ pattern }) => pattern.test(reason));
  return known ?? { what: reason === '' ? words.campaign.noReason : reason, todo: words.campaign.tryOneByHand };
}
