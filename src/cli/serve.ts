import { UsageError } from '../platform/errors/errors.ts';
import { main } from '../app/main.ts';
import type { Shell } from './shell.ts';

/** Runs the service; it ends the process by itself, with its own exit code. */
export async function serve({ given, stopWithParent }: Pick<Shell, 'given' | 'stopWithParent'>): Promise<number> {
  if (given.length > 0) throw new UsageError(`"serve" takes no arguments, but got "${given.join(' ')}"`);
  await main({ stopWithParent });
  return 0;
}
