/** The roles of the members of a workspace (docs/explanation/decisions/0105-act-as-a-member-with-a-role.md). */
import type { Role } from '../../platform/database/schema.ts';

/** From the least to the most powerful: each may do what the ones before it may. */
export const ROLES = ['analyst', 'author', 'manager', 'owner'] as const satisfies readonly Role[];
/** The roles that a member can be given. The owner changes by a hand-over only. */
export const GIVEN_ROLES = ['analyst', 'author', 'manager'] as const satisfies readonly Role[];

export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Returns the less powerful of two roles. */
export function lowerRole(one: Role, other: Role): Role {
  return includesRole(one, other) ? other : one;
}
