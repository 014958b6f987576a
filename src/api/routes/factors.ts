import type { UserDependencies } from '../../identity/dependencies.ts';
import { listFactors, removeFactor, renewRecoveryCodes } from '../../identity/factors/manage-factors.ts';
import { addTotp, confirmTotp } from '../../identity/factors/set-up-totp.ts';
import { reauthenticate } from '../../identity/sign-in/reauthenticate.ts';
import type { factors } from '../contract/factors.ts';
import type { Handlers } from '../operation.ts';
import { tokenOf } from '../server/auth.ts';

export const factorHandlers: Handlers<typeof factors, UserDependencies> = {
  listFactors: (deps, { actor }) => listFactors(deps, actor.userId),

  addTotp: (deps, { actor }) => addTotp(deps, actor),

  confirmTotp: (deps, { body, actor }) => confirmTotp(deps, actor, body.code),

  removeFactor: (deps, { body, actor }) => removeFactor(deps, actor, body.factorId),

  renewRecoveryCodes: async (deps, { actor }) => ({ recoveryCodes: await renewRecoveryCodes(deps, actor) }),

  async confirmIdentity(deps, { body, caller }) {
    const { userId, expiresAtMs = 0 } = caller;
    return { token: await reauthenticate(deps, { userId, expiresAtMs, ...tokenOf(caller) }, body) };
  },
};
