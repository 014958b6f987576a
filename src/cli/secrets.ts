import { StartupError, UsageError } from '../lib/errors.ts';
import { rotateJwtSecret } from '../secrets.ts';
import { withUsers } from './open-users.ts';
import { recordCommand } from './record-command.ts';
import type { Shell } from './shell.ts';

/** `campanile secrets rotate`: another secret for the tokens, where it is Campanile that keeps it. */
export async function secrets({ given, output }: Shell): Promise<number> {
  if (given.join(' ') !== 'rotate') throw new UsageError('Say what to do with secrets');
  await withUsers(async (_deps, { db, config }) => {
    if (config.jwtSecret !== undefined)
      throw new StartupError(
        'The secret of the tokens is set by JWT_SECRET: set another one there, and this one as JWT_SECRET_PREVIOUS for a day',
      );
    await db.transaction().execute(async (trx) => {
      await recordCommand(trx, 'secrets.rotated', 'jwt');
      await rotateJwtSecret(config.dataDir);
    });
  });
  output.write(
    'There is another secret for the tokens. Start the service again to have it used; nobody is signed out, and tokens of the one before are taken for 24 hours. ' +
      'The ENCRYPTION_KEY is another matter: docs/how-to/change-the-encryption-key.md\n',
  );
  return 0;
}
