import type { ReactNode } from 'react';
import classes from './step-pictures.module.css';

/** Drawings of the phone at each linking step, on a grid of 96 × 128. The text beside each says the same. */
const SCREENS = {
  open: (
    <>
      <rect x="33" y="49" width="30" height="30" rx="9" className={classes.accent} />
      <path d="M41 70l2-5a9 9 0 1 1 4 3.500z" className={classes.onAccent} />
      <path d="M38 88h20" className={classes.line} />
    </>
  ),
  devices: (
    <>
      <path d="M27 30h26" className={classes.strong} />
      <path d="M27 46h42M27 58h34" className={classes.line} />
      <rect x="23" y="68" width="50" height="18" rx="5" className={classes.soft} />
      <rect x="28" y="73" width="12" height="8" rx="1.500" className={classes.stroke} />
      <path d="M26.500 83h15" className={classes.stroke} />
      <path d="M48 77h19" className={classes.strong} />
      <path d="M27 98h38" className={classes.line} />
    </>
  ),
  scan: (
    <>
      <path d="M30 48v-8h8M58 40h8v8M66 68v8h-8M38 76h-8v-8" className={classes.accentLine} />
      <path
        d="M38 48h8v8h-8zM50 48h8v8h-8zM38 60h8v8h-8zM50 60h3v3h-3zM55 65h3v3h-3z"
        className={classes.fill}
        fillRule="evenodd"
      />
      <path d="M32 92h32" className={classes.line} />
    </>
  ),
  enter: (
    <>
      <path d="M27 36h34" className={classes.strong} />
      {[23, 36, 51, 64].map((x) => (
        <rect key={x} x={x} y="50" width="9" height="13" rx="2.500" className={classes.accentLine} />
      ))}
      {[0, 1, 2].map((row) => (
        <path
          key={row}
          d={`M32 ${82 + row * 9}h4M46 ${82 + row * 9}h4M60 ${82 + row * 9}h4`}
          className={classes.stroke}
        />
      ))}
    </>
  ),
} satisfies Record<string, ReactNode>;

export type StepPictureName = keyof typeof SCREENS;

export function StepPicture({ name }: { name: StepPictureName }) {
  return (
    <svg viewBox="0 0 96 128" width="84" height="112" className={classes.picture} aria-hidden="true">
      <rect x="17" y="4" width="62" height="120" rx="11" className={classes.phone} />
      <path d="M42 11h12" className={classes.stroke} />
      {SCREENS[name]}
    </svg>
  );
}
