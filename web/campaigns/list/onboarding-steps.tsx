import { Button, Text, Title, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { accountQuery, groupsQuery } from '../../api/queries.ts';
import { useMay } from '../../api/workspace.ts';
import boxClasses from '../../parts/box.module.css';
import { Empty } from '../../parts/empty.tsx';
import { Icon } from '../../parts/icons.tsx';
import { t } from '../../i18n/translate.ts';
import classes from './onboarding-steps.module.css';

/** In a workspace without a campaign: the first steps for those who write, each with its button, ticked once done. */
export function OnboardingSteps() {
  if (useMay('author') === false)
    return (
      <Empty title={t('firstSteps.nothing')} sample="campaigns">
        {t('invitation.youMay.analyst')}
      </Empty>
    );
  return <Steps />;
}

function Steps() {
  const account = useQuery(accountQuery);
  const groups = useInfiniteQuery(groupsQuery({ kind: undefined, search: '' }));
  const maySend = useMay('manager') !== false;
  const isWhatsApp = account.data?.messenger === 'whatsapp';
  const isLinked = account.data?.status === 'connected';
  const steps = [
    {
      ...stepText('account'),
      ...(isWhatsApp && {
        hint: isLinked ? t('firstSteps.account.hintLinked') : t('firstSteps.account.hintToLink'),
      }),
      href: '/account',
      isDone: isLinked,
    },
    {
      ...stepText('groups'),
      ...(isWhatsApp && { hint: t('firstSteps.groups.hintOfOwn') }),
      href: '/groups',
      isDone: (groups.data?.pages[0]?.groups.length ?? 0) > 0,
    },
    {
      ...stepText('post'),
      ...(!maySend && { hint: t('invitation.youMay.author') }),
      href: '/campaigns/new',
      isDone: false,
    },
  ];
  const next = steps.findIndex((step) => !step.isDone);
  return (
    <section className={`${boxClasses.surface} ${classes.steps}`} aria-label={t('firstSteps.title')}>
      <Title order={2} size="h4">
        {t('firstSteps.title')}
      </Title>
      <ol>
        {steps.map(({ title, hint, action, href, isDone }, index) => (
          <li key={href}>
            <span className={classes.badge} data-done={isDone || undefined} aria-hidden="true">
              {isDone ? <Icon name="check" size={16} /> : index + 1}
            </span>
            <div className={classes.about}>
              <Text fw={600}>
                {title}
                {isDone && <VisuallyHidden> ({t('common.done')})</VisuallyHidden>}
              </Text>
              <Text size="sm" c="dimmed">
                {hint}
              </Text>
            </div>
            <Button component={Link} href={href} variant={index === next ? 'filled' : 'default'}>
              {action}
            </Button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function stepText(step: 'account' | 'groups' | 'post') {
  return {
    title: t(`firstSteps.${step}.title`),
    hint: t(`firstSteps.${step}.hint`),
    action: t(`firstSteps.${step}.action`),
  };
}
