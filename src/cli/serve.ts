import { main } from '../app/main.ts';
import type { Shell } from './command.ts';

/** Runs the service; it ends the process by itself, with its own exit code. */
export async function serve({ stopWithParent }: Pick<Shell, 'stopWithParent'>): Promise<number> {
  await main({ stopWithParent });
  return 0;
}
