import type { ReactNode } from 'react';
import { CircleBadge } from '../parts/circle-badge.tsx';
import { t } from '../i18n/translate.ts';
import classes from './passkey-steps.module.css';

const STEPS = [1, 2, 3, 4] as const;

/** The steps on WhatsApp's page. `steps`: what each needs below its sentence. */
export function PasskeyStepList({ steps }: { steps: readonly ReactNode[] }) {
  return (
    <ol className={classes.steps}>
      {STEPS.map((step, index) => (
        <li key={step}>
          <CircleBadge>{step}</CircleBadge>
          <div className={classes.step}>
            <span>{t(`account.passkey.steps.${step}`)}</span>
            {steps[index]}
          </div>
        </li>
      ))}
    </ol>
  );
}
