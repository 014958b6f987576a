import { join } from 'node:path';
import { proxiedUrl } from '../../test/support/servers/own-postgres.ts';
import type { TestDatabase } from '../../test/support/database.ts';
import { startProxy, type Proxy } from '../../test/support/servers/proxy.ts';
import { removeService, startService, type Service } from '../../test/support/service/service.ts';
import type { Witness } from './start-witness.ts';

/** A worker process that sends to the witness and connects to the database through its own proxy. */
export interface WitnessedWorker extends Service {
  network: Proxy;
  /** Kills it in any state and removes its files. */
  remove(): Promise<void>;
}

export const ENTRY = join(import.meta.dirname, 'service.ts');
export const SECRETS = {
  JWT_SECRET: 'the secret of the tests, long enough',
  // The key of `startTestApp`, whose ledger a worker shares.
  ENCRYPTION_KEY: '07'.repeat(32),
};

/** `gap` applies to sandbox accounts, as in `SANDBOX_GAP_MS`; accounts of the other messenger have none. */
export async function startWitnessedWorker(
  { address, stateDir }: Pick<TestDatabase, 'address' | 'stateDir'>,
  witness: Witness,
  gap = '0-0',
): Promise<WitnessedWorker> {
  if ('url' in address) throw new Error('tests need a server on a Unix socket');
  const network = await startProxy(() => ({ path: join(address.socketFolder, `.s.PGSQL.${address.port}`) }));
  const worker = await startService({
    entry: ENTRY,
    environment: {
      ROLE: 'worker',
      STATE_DIR: stateDir,
      DATABASE_URL: proxiedUrl(network.port, address),
      WITNESS_PORT: String(witness.port),
      SANDBOX_GAP_MS: gap,
      WHATSAPP_GAP_MS: '0-0',
      ...SECRETS,
    },
  });
  return {
    ...worker,
    network,
    async remove() {
      await worker.kill();
      await network.close();
      await removeService(worker);
    },
  };
}
