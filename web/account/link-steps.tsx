import { CircleBadge } from '../parts/circle-badge.tsx';
import { t } from '../i18n/translate.ts';
import { StepPicture, type StepPictureName } from './step-pictures.tsx';
import classes from './link-steps.module.css';

const PICTURES: Readonly<Record<'qr' | 'pairing_code', readonly StepPictureName[]>> = {
  qr: ['open', 'devices', 'scan'],
  pairing_code: ['open', 'devices', 'enter'],
};

const STEPS = [1, 2, 3] as const;

/** The steps on the phone, in pictures and words. */
export function LinkSteps({ method }: { method: 'qr' | 'pairing_code' }) {
  const steps = STEPS.map((step) => t(`account.${method === 'qr' ? 'qrSteps' : 'codeSteps'}.${step}`));
  return (
    <ol className={classes.steps}>
      {steps.map((step, index) => (
        <li key={step}>
          <StepPicture name={PICTURES[method][index] ?? 'open'} />
          <CircleBadge>{index + 1}</CircleBadge>
          <span>{step}</span>
        </li>
      ))}
    </ol>
  );
}
