import { count } from '../format/numbers.ts';
import textClasses from './text.module.css';

/** A number in a table; zeros are dim, so that the others stand out. */
export function Count({ of }: { of: number }) {
  return of === 0 ? <span className={textClasses.dim}>{count(0)}</span> : count(of);
}
