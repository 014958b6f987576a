/** Ids that cannot be mixed up: the one says who acts, the other whose rows are looked at. */
export type UserId = number & { readonly idOf: 'user' };
export type WorkspaceId = number & { readonly idOf: 'workspace' };
