import { CircleBadge } from '../parts/circle-badge.tsx';
import { words } from '../words/words.ts';
import { StepPicture, type StepPictureName } from './step-pictures.tsx';
import classes from './link-steps.module.css';

const PICTURES: Readonly<Record<'qr' | 'pairing_code', readonly StepPictureName[]>> = {
  qr: ['open', 'devices', 'scan'],
  pairing_code: ['open', 'devices', 'enter'],
};

/** The steps on the phone, in pictures and words. */
export function LinkSteps({ method }: { method: 'qr' | 'pairing_code' }) {
  const steps = method === 'qr' ? words.account.qrSteps : words.account.codeSteps;
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
