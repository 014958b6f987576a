import type { UserDependencies } from '../../identity/dependencies.ts';
import { listFactors, removeFactor, renewRecoveryCodes } from '../../identity/factors/manage-factors.ts';
import { addTotp, confirmTotp } from '../../identity/factors/set-up-totp.ts';
import { reauthenticate } from '../../identity/sign-in/reauthenticate.ts';
import type { factors } from '../contract/factors.ts';
import type { Handlers } from '../operation.ts';
import { tokenOf } from '../server/auth.ts';

export const factorHandlers: Handlers<typeof factors, UserDependencies> = {
  async listFactors(deps, { actor }) {
    const found = await listFactors(deps, actor.userId);
    return {
      factors: found.factors.map(({ factorId, kind, name, createdAt, lastUsedAt }) => ({
        factor_id: factorId,
        kind,
        name,
        created_at: createdAt.toISOString(),
        last_used_at: lastUsedAt?.toISOString() ?? null,
      })),
      recovery_codes_left: found.recoveryCodes,
    };
  },

  addTotp: (deps, { actor }) => addTotp(deps, actor),

  async confirmTotp(deps, { body, actor }) {
    const { recoveryCodes } = await confirmTotp(deps, actor, body.code);
    return { recovery_codes: recoveryCodes };
  },

  async removeFactor(deps, { body, actor }) {
    await removeFactor(deps, actor, body.factor_id);
    return {};
  },

  async renewRecoveryCodes(deps, { actor }) {
    return { recovery_codes: await renewRecoveryCodes(deps, actor) };
  },

  async confirmIdentity(deps, { body, caller }) {
    const { userId, expiresAtMs = 0 } = caller;
    return { token: await reauthenticate(deps, { userId, expiresAtMs, ...tokenOf(caller) }, body) };
  },
};
