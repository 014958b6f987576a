import { words } from '../words/words.ts';
import classes from './delivery-ticks.module.css';

/** The ticks everyone knows: one is sent, two are delivered, two blue ones read. */
export function DeliveryTicks({ kind }: { kind: 'sent' | 'delivered' | 'read' }) {
  return (
    <svg
      width="17"
      height="11"
      viewBox="0 0 17 11"
      fill="none"
      className={classes.ticks}
      data-kind={kind}
      role="img"
      aria-label={words.ticks[kind]}
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={kind === 'sent' ? 'M3 6l3 3.500 6.500-8' : 'M1 6l3 3.500 6.500-8M7.500 8.500l1 1 6.500-8'} />
    </svg>
  );
}
