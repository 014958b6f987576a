import type { Examine } from '../../../operations/doctor/run-checks-once.ts';
import { getInstallationData } from '../../contract/doctor.ts';
import { nothing } from '../../contract/fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export interface ExamineDeps {
  examine: Examine;
}

export function getInstallationOperation({ examine }: ExamineDeps): Operation {
  return defineOperation({
    path: '/api/v1/admin/get_installation',
    access: 'bearer',
    scope: 'token',
    tag: 'Administration',
    summary: 'Look the installation over',
    description:
      'For administrators: what `campanile doctor` says, of the machine of the process that answers. It is looked once in five seconds, however many ask.',
    body: nothing,
    data: getInstallationData,
    errors: [],
    async handle({ actor }) {
      const { at, findings } = await examine(actor);
      return {
        examined_at: at.toISOString(),
        findings: findings.map(({ check, level, message, advice }) => ({
          check,
          level,
          message,
          advice: advice ?? null,
        })),
      };
    },
  });
}
