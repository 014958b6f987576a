export const MEMBERS = ['members'];
export const INVITATIONS = ['workspace-invitations'];
